import { describe, expect, it } from 'vitest'
import type { Elite } from '../../../src/core/archive/archive.ts'
import { createArchive } from '../../../src/core/archive/cell-archive.ts'
import { crowdingDistances } from '../../../src/core/archive/front.ts'
import { aCampaign, aConfig, anElite, aResult, LESS_TIME, MORE_SCORE } from '../../support/builders.ts'
import { BASELINE, begun, finished, step } from '../../support/campaign-steps.ts'

const objectives = [MORE_SCORE, LESS_TIME]

/** A 1 by 1 grid whose only cell is a front of at most so many. */
function aFront(front: number, ...values: (readonly number[])[]) {
  const archive = createArchive({ kind: 'grid', sizes: [1, 1] }, { objectives, front })
  const statuses = values.map((value, index) => archive.add(anElite({ ordinal: index, value })))
  return { archive, statuses, ordinals: () => archive.members().map(({ elite }) => elite.ordinal) }
}

const noisy = (ordinal: number, value: readonly [number, number], by: number): Elite =>
  anElite({
    ordinal,
    value,
    interval: { low: value.map((x) => x - by), high: value.map((x) => x + by) },
  })

describe('a cell with several objectives', () => {
  it('keeps candidates that are better than each other in different ways, the best score first', () => {
    const { archive, statuses, ordinals } = aFront(4, [1, 1], [3, 9], [2, 5])
    expect(statuses).toEqual([
      { status: 'new-cell', cell: '0-0' },
      { status: 'joined', cell: '0-0' },
      { status: 'joined', cell: '0-0' },
    ])
    expect(ordinals()).toEqual([1, 2, 0])
    expect(archive.members().map(({ rank }) => rank)).toEqual([1, 2, 3])
  })

  it('gives all places of those that are worse in every way to the one that is better', () => {
    const { statuses, ordinals } = aFront(4, [1, 1], [3, 9], [2, 5], [3, 4])
    expect(statuses.at(-1)).toEqual({ status: 'improved', cell: '0-0', replaced: 1, also: [2] })
    expect(ordinals()).toEqual([3, 0])
  })

  it.each([
    ['tie', [2, 5]],
    ['not-better', [2, 6]],
    ['not-better', [1, 5]],
  ] as const)('refuses with %s what is nowhere better than an elite, and names it', (reason, value) => {
    const { statuses, ordinals } = aFront(4, [3, 9], [2, 5], value)
    expect(statuses.at(-1)).toEqual({ status: 'refused', reason, cell: '0-0', holder: 1 })
    expect(ordinals()).toEqual([0, 1])
  })

  it('drops the elite in the most crowded part when there are too many, and says whom', () => {
    const { statuses, ordinals } = aFront(3, [1, 1], [9, 9], [2, 2], [5, 5])
    expect(statuses.at(-1)).toEqual({ status: 'joined', cell: '0-0', dropped: 2 })
    expect(ordinals()).toEqual([1, 3, 0])
  })

  it('refuses a newcomer that is itself in the most crowded part', () => {
    const { statuses, ordinals } = aFront(3, [1, 1], [9, 9], [5, 5], [2, 2])
    expect(statuses.at(-1)).toEqual({ status: 'refused', reason: 'crowded', cell: '0-0', holder: 1 })
    expect(ordinals()).toEqual([1, 2, 0])
  })

  it('keeps the best on the first objective even when only one may stay besides', () => {
    const { ordinals } = aFront(2, [9, 9], [1, 1], [5, 5], [2, 1.5])
    expect(ordinals()[0]).toBe(0)
  })

  it('lets the first objective decide where a cell may hold one', () => {
    const { statuses, ordinals } = aFront(1, [1, 1], [3, 9], [2, 0])
    expect(statuses.map(({ status }) => status)).toEqual(['new-cell', 'improved', 'refused'])
    expect(ordinals()).toEqual([1])
  })
})

describe('a noisy cell with several objectives', () => {
  const create = () => createArchive({ kind: 'grid', sizes: [1, 1] }, { objectives, front: 4 })

  it('takes in only what stands out from every elite on some objective', () => {
    const archive = create()
    archive.add(noisy(0, [10, 10], 1))
    expect(archive.add(noisy(1, [10.5, 10], 1))).toMatchObject({ reason: 'close-call', holder: 0 })
    expect(archive.add(noisy(2, [9.5, 14], 1))).toMatchObject({ reason: 'not-better', holder: 0 })
    expect(archive.add(noisy(3, [20, 30], 1))).toMatchObject({ status: 'joined' })
  })

  it('a front does not keep an elite for an advantage within the noise', () => {
    const archive = create()
    archive.add(noisy(0, [10, 10], 1))
    expect(archive.add(noisy(1, [20, 10.5], 1))).toMatchObject({ status: 'improved', replaced: 0 })
  })

  it('a front does not lose its best in steps that are each within the noise', () => {
    const archive = create()
    const steps = [100, 96, 92, 88, 84].map((first) => [first, first / 2])
    for (const [ordinal, [first = 0, second = 0]] of steps.entries())
      archive.add({
        ...anElite({ ordinal, value: [first, second] }),
        interval: { low: [first - 4, second - 0.1], high: [first + 4, second + 0.1] },
      })
    expect(archive.members().map(({ elite }) => elite.value[0])).toEqual([100, 84])
  })
})

describe('crowdingDistances', () => {
  it('crowdingDistances sums the relative distances between neighbours and is infinite at the ends', () => {
    const distances = crowdingDistances(
      [
        [0, 10],
        [1, 4],
        [4, 0],
      ],
      2,
    )
    expect(distances).toEqual([Number.POSITIVE_INFINITY, 2, Number.POSITIVE_INFINITY])
  })

  it('leaves an objective out on which all are equal', () => {
    expect(crowdingDistances([[1], [1], [1]], 1)).toEqual([0, 0, 0])
  })
})

it('ends a campaign when one elite reaches all targets, though it is not the best on the first', () => {
  const targets = [
    { ...MORE_SCORE, target: 5 },
    { ...LESS_TIME, target: 2 },
  ]
  const state = begun(aCampaign({ config: aConfig({ objectives: targets }) }), {
    ...BASELINE,
    metrics: { score: 1, time: 9, x: 0.5, y: 0.5 },
  })
  const fast = step(state, finished(1, aResult(1, { metrics: { score: 9, time: 8, x: 0.5, y: 0.5 } }))).state
  expect(fast.campaign.stopping).toBeUndefined()
  const both = step(fast, finished(2, aResult(2, { metrics: { score: 5, time: 2, x: 0.5, y: 0.5 } }))).state
  expect(both.campaign.stopping).toBe('target-reached')
})
