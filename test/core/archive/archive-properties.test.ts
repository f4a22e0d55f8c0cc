import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Archive, type Elite, findBest } from '../../../src/core/archive/archive.ts'
import { createArchive } from '../../../src/core/archive/cell-archive.ts'
import type { ArchiveShape } from '../../../src/core/archive/cells.ts'
import { leadOn } from '../../../src/core/archive/comparison.ts'
import { createCentroids } from '../../../src/core/archive/cvt.ts'
import { islandNames } from '../../../src/core/archive/islands.ts'
import { rebuild } from '../../../src/core/archive/rebuild.ts'
import { compareValues, type Objective } from '../../../src/core/measuring/objective.ts'
import { encodeArchive } from '../../../src/store/encode.ts'
import {
  aCampaign,
  aConfig,
  aFailure,
  anElite,
  aResult,
  LESS_TIME,
  MORE_SCORE,
} from '../../support/builders.ts'
import { begun, playOut } from '../../support/campaign-steps.ts'

const SHAPES: readonly (readonly [string, ArchiveShape])[] = [
  ['grid', { kind: 'grid', sizes: [3, 2] }],
  ['cvt', { kind: 'cvt', centroids: createCentroids(6, 2, 1) }],
]
const SIZE: Objective = { metric: 'size', direction: 'minimize' }
const OBJECTIVES = [MORE_SCORE, LESS_TIME, SIZE]

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const small = fc.integer({ min: 0, max: 6 })
/** What asks for places, in order: position, value, noise, island. */
const asked = fc.array(
  fc.record({
    at: fc.tuple(unit, unit),
    value: fc.tuple(small, small, small),
    noise: unit,
    island: fc.nat(1),
  }),
  { maxLength: 40 },
)
type Asked = { at: [number, number]; value: [number, number, number]; noise: number; island: number }

function toElite({ at, value, noise }: Asked, ordinal: number, kind: 'exact' | 'noisy'): Elite {
  const interval = { low: value.map((x) => x - noise), high: value.map((x) => x + noise) }
  return anElite({ ordinal, descriptor: at, value, ...(kind === 'noisy' && { interval }) })
}

function dominates(a: Elite, b: Elite, objectives: readonly Objective[]): boolean {
  const leads = objectives.map((objective, index) => leadOn(a, b, objective, index))
  return leads.includes('better') && !leads.includes('worse')
}

function frontsOf(archive: Archive): Elite[][] {
  const fronts = new Map<string, Elite[]>()
  for (const { island, cell, elite } of archive.members()) {
    const key = `${island}/${cell}`
    fronts.set(key, [...(fronts.get(key) ?? []), elite])
  }
  return [...fronts.values()]
}

describe.each(SHAPES)('a %s archive', (_kind, shape) => {
  const islands = islandNames(2)

  it.each([1, 2, 3])('an archive holds bounded fronts in which no elite dominates another', (count) => {
    const objectives = OBJECTIVES.slice(0, count)
    const front = 3
    fc.assert(
      fc.property(asked, fc.constantFrom('exact', 'noisy'), (candidates, kind) => {
        const archive = createArchive(shape, { objectives, front, islands })
        for (const [ordinal, each] of candidates.entries())
          archive.add(toElite(each, ordinal, kind), islands[each.island])
        for (const members of frontsOf(archive)) {
          expect(members.length).toBeLessThanOrEqual(count === 1 ? 1 : front)
          const pairs = members.flatMap((a) => members.filter((b) => b !== a).map((b) => [a, b] as const))
          // But the best, which stays beside one that is behind it by what may be noise.
          const [best] = members.toSorted((a, b) => compareValues(b.value, a.value, objectives))
          const others = pairs.filter(([, y]) => kind === 'exact' || y !== best)
          expect(others.filter(([x, y]) => dominates(x, y, objectives))).toEqual([])
        }
      }),
      { seed: 1, numRuns: 100 },
    )
  })

  it.each([1, 2, 3])('an archive never loses the best elite of an island', (count) => {
    const objectives = OBJECTIVES.slice(0, count)
    fc.assert(
      fc.property(asked, (candidates) => {
        const archive = createArchive(shape, { objectives, front: 2, islands })
        const bests = new Map<string, Elite>()
        for (const [ordinal, each] of candidates.entries()) {
          const island = islands[each.island] ?? ''
          const elite = toElite(each, ordinal, 'exact')
          const best = bests.get(island)
          if (best === undefined || compareValues(elite.value, best.value, objectives) > 0)
            bests.set(island, elite)
          archive.add(elite, island)
          expect(findBest({ members: () => archive.members(island) }, objectives)).toBe(bests.get(island))
        }
      }),
      { seed: 2, numRuns: 100 },
    )
  })

  it('each cell with one objective holds the best candidate ever offered, in any order', () => {
    fc.assert(
      fc.property(asked, (candidates) => {
        const elites = candidates.map((each, ordinal) => toElite(each, ordinal, 'exact'))
        const values = (order: readonly Elite[]) => {
          const archive = createArchive(shape, { objectives: [MORE_SCORE] })
          for (const elite of order) archive.add(elite)
          return archive.members().map(({ cell, elite }) => [cell, elite.value[0]])
        }
        const archive = createArchive(shape, { objectives: [MORE_SCORE] })
        for (const [cell, value] of values(elites)) {
          const rivals = elites.filter(({ descriptor }) => archive.cellOf(descriptor) === cell)
          expect(value).toBe(Math.max(...rivals.map((rival) => rival.value[0] ?? 0)))
        }
        expect(values(elites.toReversed())).toEqual(values(elites))
      }),
      { seed: 3, numRuns: 100 },
    )
  })

  it('an archive with unbounded fronts holds exactly the non-dominated candidates, in any order', () => {
    const objectives = [MORE_SCORE, LESS_TIME]
    fc.assert(
      fc.property(asked, (candidates) => {
        const elites = candidates.map((each, ordinal) => toElite(each, ordinal, 'exact'))
        const held = (order: readonly Elite[]) => {
          const archive = createArchive(shape, { objectives, front: 100 })
          for (const elite of order) archive.add(elite)
          return archive.members().map(({ cell, elite }) => `${cell} ${elite.value.slice(0, 2)}`)
        }
        const archive = createArchive(shape, { objectives })
        const cellOf = ({ descriptor }: Elite) => archive.cellOf(descriptor)
        const best = elites.filter(
          (elite) =>
            !elites.some((other) => cellOf(other) === cellOf(elite) && dominates(other, elite, objectives)),
        )
        const expected = new Set(best.map((elite) => `${cellOf(elite)} ${elite.value.slice(0, 2)}`))
        expect(held(elites).sort()).toEqual([...expected].sort())
        expect(held(elites.toReversed())).toEqual(held(elites))
      }),
      { seed: 4, numRuns: 100 },
    )
  })
})

describe('an archive that is rebuilt from its ledger', () => {
  it('a rebuilt archive equals the one built step by step, byte for byte', () => {
    const settings = fc.record({
      archive: fc.constantFrom('grid', 'cvt'),
      objectives: fc.constantFrom(1, 2, 3),
      islands: fc.constantFrom(1, 2, 3),
      front: fc.constantFrom(1, 2, 4),
      results: fc.array(fc.tuple(unit, unit, small, small, small), { minLength: 10, maxLength: 30 }),
    })
    fc.assert(
      fc.property(settings, ({ archive, objectives, islands, front, results }) => {
        const config = aConfig({
          objectives: OBJECTIVES.slice(0, objectives),
          search: { archive, islands, front, cells: 6 },
          limits: { candidates: 24 },
        })
        const metrics = { score: 1, x: 0.5, y: 0.5, time: 3, size: 3 }
        const done = playOut(begun(aCampaign({ config }), aResult(0, { metrics })), ({ ordinal }) => {
          const [x = 0, y = 0, score = 0, time = 0, size = 0] = results[ordinal % results.length] ?? []
          if (score === 0) return aFailure()
          return aResult(ordinal, { metrics: { score, time: time + (ordinal % 3), size, x, y } })
        })
        const rebuilt = rebuild(done, done.ledger.tail)
        expect(encodeArchive(rebuilt.archive, 1)).toBe(encodeArchive(done.archive, 1))
      }),
      { seed: 5, numRuns: 40 },
    )
  })
})
