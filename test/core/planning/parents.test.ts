import { describe, expect, it } from 'vitest'
import type { Member } from '../../../src/core/archive/archive.ts'
import { sampleInspirations, sampleParent } from '../../../src/core/planning/parents.ts'
import { rngFor } from '../../../src/core/rng.ts'
import { anArchive, anElite, LESS_TIME, MORE_SCORE } from '../../support/builders.ts'

const membersWith = (...scores: number[]): Member[] =>
  scores.map((score, ordinal) => ({
    island: 'main',
    cell: `${ordinal}`,
    rank: 1,
    elite: anElite({ ordinal, value: [score] }),
  }))

/** How often each ordinal is drawn in 2000 draws. */
function countDraws(
  members: readonly Member[],
  children: Record<string, number> = {},
  objectives = [MORE_SCORE],
): number[] {
  const counts = members.map(() => 0)
  for (let ordinal = 0; ordinal < 2000; ordinal++) {
    const parent = sampleParent(members, objectives, children, rngFor(5, ordinal, 'plan'))
    if (parent !== undefined) counts[parent.elite.ordinal] = (counts[parent.elite.ordinal] ?? 0) + 1
  }
  return counts
}

describe('sampleParent', () => {
  it('draws better elites more often, and every one sometimes', () => {
    const [worst = 0, middle = 0, best = 0] = countDraws(membersWith(1, 2, 3))
    expect(best).toBeGreaterThan(middle)
    expect(middle).toBeGreaterThan(worst)
    expect(worst).toBeGreaterThan(0)
  })

  it('draws the smaller value more often when less is better', () => {
    const [small = 0, large = 0] = countDraws(membersWith(1, 2), {}, [LESS_TIME])
    expect(small).toBeGreaterThan(large)
  })

  it('sampleParent does not depend on the scale of the metric', () => {
    expect(countDraws(membersWith(1000, 2000, 3000, 9000))).toEqual(countDraws(membersWith(1, 2, 3, 9)))
  })

  it('draws an elite with n children 1 ∕ (1 + n) as often as an equal without', () => {
    const [busy = 0, idle = 0] = countDraws(membersWith(1, 1), { 0: 3 })
    expect(idle / busy).toBeGreaterThan(3)
    expect(idle / busy).toBeLessThan(5)
  })

  it('draws equal elites evenly', () => {
    for (const count of countDraws(membersWith(4, 4, 4, 4))) {
      expect(count).toBeGreaterThan(420)
      expect(count).toBeLessThan(580)
    }
  })

  it('sampleParent still prefers the better one when most values are equal', () => {
    const [, , , odd = 0] = countDraws(membersWith(1, 1, 1, 5))
    expect(odd).toBeGreaterThan(500)
  })

  it('draws among all where most are equal on both objectives and one is a trade-off', () => {
    const values = [
      [1, 5],
      [1, 5],
      [1, 5],
      [1, 5],
      [2, 9],
      [1, 5],
    ]
    const members = membersWith(...values.map(() => 0)).map((member, index) => ({
      ...member,
      elite: anElite({ ordinal: index, value: values[index] ?? [] }),
    }))
    for (const count of countDraws(members, {}, [MORE_SCORE, LESS_TIME])) expect(count).toBeGreaterThan(250)
  })

  it('draws the only elite there is, and none from none', () => {
    expect(countDraws(membersWith(-7))).toEqual([2000])
    expect(sampleParent([], [MORE_SCORE], {}, rngFor(1, 1, 'plan'))).toBeUndefined()
  })
})

describe('sampleInspirations', () => {
  // One elite in every cell of the first row of the 4 by 4 grid, and one far away.
  const archive = anArchive(
    [0, 0.25, 0.5, 0.75].map((y, ordinal) => anElite({ ordinal, descriptor: [0, y] })),
  )
  const [parent] = archive.members()
  if (parent === undefined) throw new Error('the archive has a member')
  const ordinals = (count: number, seed = 1) =>
    sampleInspirations(archive, parent, count, rngFor(seed, 1, 'plan')).map(({ ordinal }) => ordinal)

  it('takes the nearest ring first', () => {
    expect(ordinals(2)).toEqual([1, 2])
  })

  it('gives all others when asked for more than there are, but never the parent', () => {
    expect(ordinals(9)).toEqual([1, 2, 3])
  })

  it('gives none when asked for none', () => {
    expect(ordinals(0)).toEqual([])
  })

  it('shuffles within a ring', () => {
    const square = anArchive(
      [0, 0.25, 0.5].flatMap((x, row) =>
        [0, 0.25, 0.5].map((y, column) => anElite({ ordinal: 3 * row + column, descriptor: [x, y] })),
      ),
    )
    const centre = square.members()[4]
    if (centre === undefined) throw new Error('the archive has a centre')
    const firsts = Array.from({ length: 60 }, (_, seed) =>
      sampleInspirations(square, centre, 1, rngFor(seed, 1, 'plan')).map(({ ordinal }) => ordinal),
    )
    expect([...new Set(firsts.flat())].sort()).toEqual([0, 1, 2, 3, 5, 6, 7, 8])
  })
})
