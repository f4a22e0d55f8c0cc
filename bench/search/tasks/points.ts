import { at, changeSome, fixedNumbers, heavyStep, merge } from '../draws.ts'
import type { Task } from '../task.ts'

type Point = readonly [x: number, y: number]

const JITTER = fixedNumbers(32, 3)
const ROOT: readonly Point[] = Array.from({ length: 16 }, (_, index) => [
  (index % 4) / 3 + 0.3 * (at(JITTER, index) - 0.5),
  Math.floor(index / 4) / 3 + 0.3 * (at(JITTER, index + 16) - 0.5),
])

/** 16 points in the plane: the largest of their distances over the smallest. */
export const points: Task<readonly Point[]> = {
  name: 'point-distances-16',
  direction: 'minimize',
  noise: 0,
  broken: 0.35,
  reference: 3.75,
  root: ROOT,
  measure: spread,
  mutate: (all, rng) =>
    changeSome(all, 1 + rng.int(2), rng, ([x, y]) => [x + 0.03 * heavyStep(rng), y + 0.03 * heavyStep(rng)]),
  restructure: (all, rng) =>
    rng.unit() < 0.5
      ? changeSome(all, 1, rng, () => [rng.unit(), rng.unit()])
      : all.map(([x, y]) => [x + 0.01 * heavyStep(rng), y + 0.01 * heavyStep(rng)]),
  cross: merge,
  features: (all) => all.flat(),
}

function spread(all: readonly Point[]): number | undefined {
  let [least, most] = [Number.POSITIVE_INFINITY, 0]
  for (const [index, [x, y]] of all.entries()) {
    for (const [u, v] of all.slice(0, index)) {
      const distance = Math.hypot(x - u, y - v)
      least = Math.min(least, distance)
      most = Math.max(most, distance)
    }
  }
  return least > 0 ? most / least : undefined
}
