import { at, changeSome, fixedNumbers, merge } from '../draws.ts'
import type { Task } from '../task.ts'

type Costs = readonly number[]

const COUNT = 30
// A few functions take most of the time, as in real programs.
const SHARES = fixedNumbers(COUNT, 21).map((x, index) => (0.5 + x) / (1 + index) ** 1.1)
const FLOORS = fixedNumbers(COUNT, 22).map((x) => 0.15 + 0.6 * x)
const ROOT = Array.from({ length: COUNT }, () => 1)

/** Additive hot spots: each change makes one function slower or, now and then, much faster, down to its own floor. */
export const hotSpots: Task<Costs> = {
  name: 'hot-spots',
  direction: 'minimize',
  noise: 0.03,
  broken: 0.4,
  reference: timeOf(FLOORS.map((floor) => 0.25 + 0.75 * floor)),
  root: ROOT,
  measure: timeOf,
  mutate: (costs, rng) =>
    changeSome(costs, 1, rng, (cost, index) => {
      const luck = rng.unit()
      if (luck < 0.5) return Math.min(2, cost * (1 + 0.2 * rng.unit()))
      const step = luck < 0.85 ? 0.4 * rng.unit() : rng.unit()
      return cost - step * (cost - at(FLOORS, index))
    }),
  restructure: (costs, rng) =>
    changeSome(costs, 3, rng, (cost, index) =>
      rng.unit() < 0.6 ? Math.min(2, cost * 1.15) : cost - 0.5 * rng.unit() * (cost - at(FLOORS, index)),
    ),
  cross: merge,
  features: (costs) => costs,
}

function timeOf(costs: Costs): number {
  const total = SHARES.reduce((sum, share) => sum + share, 0)
  return costs.reduce((sum, cost, index) => sum + cost * at(SHARES, index), 0) / total
}
