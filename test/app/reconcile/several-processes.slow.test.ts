import { expect, it } from 'vitest'
import { playProcesses } from './several-processes.ts'

// More by command: LORELEY_SEEDS=20 npx vitest run test/app/reconcile/several-processes.slow.test.ts
const SEEDS = Array.from({ length: Number(process.env.LORELEY_SEEDS ?? 3) }, (_, index) => index + 1)

it.each(SEEDS)(
  'three processes spend no more than the budget and book all of it, though requests fail and processes die (seed %i)',
  async (seed) => {
    const { limit, spent, booked, phase, ordinals, dashboards, doubled, kills } = await playProcesses(seed)
    console.log(JSON.stringify({ seed, limit, spent, booked, doubled, kills }))
    expect(phase).toBe('finished')
    expect(kills, 'processes die').toBeGreaterThan(0)
    expect(spent).toBeGreaterThan(limit / 2)
    expect(spent, `doubled: ${doubled.join(', ')}`).toBeLessThanOrEqual(limit)
    expect(booked).toBeCloseTo(spent, 6)
    expect(ordinals, 'no candidate is lost or counted twice').toEqual(ordinals.map((_, index) => index))
    expect(dashboards).toBe(1)
  },
)
