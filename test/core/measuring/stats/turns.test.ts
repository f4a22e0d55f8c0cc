import { describe, expect, it } from 'vitest'
import { drawTurns } from '../../../../src/core/measuring/stats/turns.ts'
import { rngFor } from '../../../../src/core/rng.ts'

const draw = (seed: number, parts: readonly number[] = [6, 4, 6, 8]) =>
  drawTurns(parts, ['root', 'candidate'], rngFor(seed, 0, 'turns'))
const SEEDS = Array.from({ length: 50 }, (_, index) => index + 1)

describe('the order of interleaved runs', () => {
  it('either subject follows itself as often as the other, in every part', () => {
    for (const seed of SEEDS) {
      let before: string | undefined
      for (const [index, part] of draw(seed).entries()) {
        const counts = new Map<string, number>()
        for (const { subject, isLead } of part) {
          const pair = `${subject} after ${before}`
          if (!isLead) counts.set(pair, (counts.get(pair) ?? 0) + 1)
          before = subject
        }
        const pairs = [6, 4, 6, 8][index] ?? 0
        expect([...counts.keys()].sort()).toEqual([
          'candidate after candidate',
          'candidate after root',
          'root after candidate',
          'root after root',
        ])
        expect(new Set(counts.values())).toEqual(new Set([pairs / 2]))
      }
    }
  })

  it('only the first run is a lead, and the last one has its subject', () => {
    for (const seed of SEEDS) {
      const turns = draw(seed).flat()
      expect(turns.filter(({ isLead }) => isLead)).toHaveLength(1)
      expect(turns[0]).toEqual({ subject: turns.at(-1)?.subject, isLead: true })
    }
  })

  it('the order is the same for the same seed and differs between seeds', () => {
    expect(draw(3)).toEqual(draw(3))
    const orders = SEEDS.map((seed) => JSON.stringify(draw(seed)))
    expect(new Set(orders).size).toBeGreaterThan(45)
    const starts = SEEDS.map((seed) => draw(seed)[0]?.[0]?.subject)
    expect(new Set(starts)).toEqual(new Set(['root', 'candidate']))
  })
})
