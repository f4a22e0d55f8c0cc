import { describe, expect, it } from 'vitest'
import { nicheName } from '../../../src/core/archive/archive.ts'
import { findDonorIsland, islandFor, islandNames } from '../../../src/core/archive/islands.ts'
import type { Job } from '../../../src/core/campaign/job.ts'
import { rngFor } from '../../../src/core/rng.ts'
import { aCampaign, aConfig, aFailure, aResult } from '../../support/builders.ts'
import { begun, playOut } from '../../support/campaign-steps.ts'

const ISLANDS = islandNames(3)

describe('islands', () => {
  it('a single island is named main, several are numbered', () => {
    expect([islandNames(1), islandNames(2)]).toEqual([['main'], ['island-1', 'island-2']])
  })

  it('candidates are assigned to islands round-robin', () => {
    expect([1, 2, 3, 4].map((ordinal) => islandFor(ordinal, ISLANDS))).toEqual([
      'island-1',
      'island-2',
      'island-3',
      'island-1',
    ])
    expect(islandFor(7, islandNames(1))).toBeUndefined()
  })

  it('every migrateEvery candidates, an island sees an elite of the previous island', () => {
    const donors = Array.from({ length: 12 }, (_, index) => findDonorIsland(index + 1, ISLANDS, 2))
    const none = [undefined, undefined, undefined]
    const ring = ['island-3', 'island-1', 'island-2']
    expect(donors).toEqual([...none, ...ring, ...none, ...ring])
    expect(findDonorIsland(2, islandNames(1), 1)).toBeUndefined()
  })

  it('stand before the cell in a niche, and the rank behind it, where there are several', () => {
    expect(nicheName({ island: 'main', cell: '2-3', rank: 1 })).toBe('2-3')
    expect(nicheName({ island: 'island-2', cell: '7', rank: 3 })).toBe('island-2/7.3')
  })
})

describe('a campaign with islands', () => {
  const search = { islands: 3, migrateEvery: 2, warmUp: 6, window: 3, inspirations: 2 }
  const config = aConfig({ search, limits: { candidates: 60 } })
  const jobs: Job[] = []
  const done = playOut(begun(aCampaign({ config })), (job) => {
    jobs.push(job)
    const rng = rngFor(2, job.ordinal, 'test')
    if (job.ordinal % 11 === 0) return aFailure()
    return aResult(job.ordinal, { metrics: { score: rng.int(50), x: rng.unit(), y: rng.unit() } })
  })
  const islandOf = new Map(done.ledger.tail.map(({ ordinal, island }) => [ordinal, island]))

  it('gives every island the root, and each candidate to the island it was planned for', () => {
    for (const island of ISLANDS) expect(done.archive.members(island).length).toBeGreaterThan(3)
    const strangers = done.archive
      .members()
      .filter(({ island, elite }) => elite.ordinal !== 0 && islandOf.get(elite.ordinal) !== island)
    expect(strangers).toEqual([])
    expect(
      begun(aCampaign({ config }))
        .archive.members()
        .map(({ island }) => island),
    ).toEqual(ISLANDS)
  })

  it('breeds on one island, with a guest from the neighbour at its turn and only then', () => {
    const bred = jobs.filter(({ ordinal, operator }) => ordinal > 6 && operator !== 'fresh')
    expect(bred.length).toBeGreaterThan(30)
    let guests = 0
    for (const { ordinal, parent, inspirations, island } of bred) {
      expect([island, undefined]).toContain(parent.ordinal === 0 ? undefined : islandOf.get(parent.ordinal))
      const abroad = inspirations.filter(
        (each) => each.ordinal !== 0 && islandOf.get(each.ordinal) !== island,
      )
      const donor = findDonorIsland(ordinal, ISLANDS, 2)
      expect(abroad.map((each) => islandOf.get(each.ordinal))).toEqual(abroad.length === 0 ? [] : [donor])
      if (abroad.length > 0) expect(abroad[0]).toBe(inspirations[0])
      guests += abroad.length
    }
    expect(guests).toBeGreaterThan(10)
  })

  it('shares the cells of the budget among the islands', () => {
    expect(done.archive.cellCount).toBe(27)
  })
})
