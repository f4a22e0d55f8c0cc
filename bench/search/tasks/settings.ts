import { at, changeSome, fixedNumbers, merge } from '../draws.ts'
import type { Task } from '../task.ts'

type Levels = readonly number[]

const COUNT = 24
const LEVELS = 4
const BEST = fixedNumbers(COUNT, 11).map((x) => 1 + Math.floor(x * (LEVELS - 1)))
const WORTH = fixedNumbers(COUNT, 12).map((x) => 0.01 + 0.1 * x ** 3)
const PARTNER = fixedNumbers(COUNT, 13).map((x, index) => (index + 1 + Math.floor(x * (COUNT - 1))) % COUNT)
const BOND = fixedNumbers(COUNT, 14).map((x) => (x < 0.5 ? 0 : 0.12 * (x - 0.5)))
const ROOT = Array.from({ length: COUNT }, () => 0)

/** A hidden configuration: 24 settings, some of which help only together, and cost something alone. */
export const settings: Task<Levels> = {
  name: 'hidden-settings',
  direction: 'maximize',
  noise: 0.02,
  broken: 0.3,
  reference: speedOf(BEST),
  root: ROOT,
  measure: speedOf,
  mutate: (levels, rng) => changeSome(levels, 1, rng, () => rng.int(LEVELS)),
  restructure: (levels, rng) => changeSome(levels, 4, rng, () => rng.int(LEVELS)),
  cross: merge,
  features: (levels) => levels.map((level) => level / LEVELS),
}

function speedOf(levels: Levels): number {
  const isRight = (index: number): boolean => levels[index] === BEST[index]
  return levels.reduce((speed, level, index) => {
    const own = isRight(index) ? 1 + at(WORTH, index) : level === 0 ? 1 : 1 - at(WORTH, index) / 2
    const other = at(PARTNER, index)
    const bond = at(BOND, index)
    const together = isRight(index) && isRight(other) ? 1 + bond : isRight(index) ? 1 - bond / 4 : 1
    return speed * own * together
  }, 1)
}
