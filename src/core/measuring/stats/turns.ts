import { pick, type Rng } from '../../rng.ts'

/** One run of an interleaved measurement. */
export interface Turn<T> {
  readonly subject: T
  /** A lead only prepares the machine for the next run, and its numbers do not count. */
  readonly isLead: boolean
}

/**
 * Draws the order of interleaved runs, part by part; each part has an even number of pairs. After one lead, either
 * subject follows itself as often as the other in every part. So what a run leaves to the next one (heat, caches) favours
 * neither. The order is random, so that no rhythm of the machine favours one of them either.
 */
export function drawTurns<T>(
  parts: readonly number[],
  subjects: readonly [T, T],
  rng: Rng,
): readonly Turn<T>[][] {
  const [first, second] = rng.unit() < 0.5 ? subjects : ([subjects[1], subjects[0]] as const)
  return parts.map((pairs, index) => {
    const runs = drawPart(pairs, first, second, rng).map((subject) => ({ subject, isLead: false }))
    return index === 0 ? [{ subject: first, isLead: true }, ...runs] : runs
  })
}

// After `first`, and ending with it. The subjects alternate `pairs / 2` times, and each is repeated as often, at random.
function drawPart<T>(pairs: number, first: T, second: T, rng: Rng): T[] {
  const half = pairs / 2
  const repeats = { first: spread(half, half + 1, rng), second: spread(half, half, rng) }
  return repeats.first.flatMap((count, index) => {
    const own = Array.from({ length: index === 0 ? count : count + 1 }, () => first)
    const others = repeats.second[index]
    return others === undefined ? own : [...own, ...Array.from({ length: others + 1 }, () => second)]
  })
}

// More than three runs of a kind in a row would leave the pairs far apart.
const MAX_REPEATS = 2

/** Distributes `count` over `slots` at random. */
function spread(count: number, slots: number, rng: Rng): number[] {
  const counts = Array.from({ length: slots }, () => 0)
  for (let dealt = 0; dealt < count; dealt++) {
    const open = [...counts.keys()].filter((slot) => (counts[slot] ?? 0) < MAX_REPEATS)
    const slot = pick(open, rng)
    counts[slot] = (counts[slot] ?? 0) + 1
  }
  return counts
}
