import { rngFor } from '../../src/core/rng.ts'

const NEIGHBOURS = 5
const FOLDS = 10
const RESAMPLES = 2000

/**
 * Whether each candidate's kind can be told from where it lies: the most common kind among the five nearest of the
 * other nine tenths. Ties go to the nearest.
 */
export function classify(positions: readonly (readonly number[])[], kinds: readonly string[]): boolean[] {
  const folds = kinds.map((_, index) => rngFor(1, index, 'fold').int(FOLDS))
  return positions.map((position, index) => {
    const near = positions
      .map((other, at) => ({ kind: kinds[at] ?? '', fold: folds[at], distance: distanceOf(position, other) }))
      .filter(({ fold }) => fold !== folds[index])
      .sort((a, b) => a.distance - b.distance)
      .slice(0, NEIGHBOURS)
      .map(({ kind }) => kind)
    return mostCommon(near) === kinds[index]
  })
}

function distanceOf(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, axis) => sum + (value - (b[axis] ?? 0)) ** 2, 0)
}

function mostCommon(kinds: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].reduce<[string, number] | undefined>(
    (best, each) => (best === undefined || each[1] > best[1] ? each : best),
    undefined,
  )?.[0]
}

/** The 95 % interval of the difference of two shares over the same candidates (paired bootstrap, seeded). */
export function differenceInterval(
  ours: readonly boolean[],
  theirs: readonly boolean[],
): [low: number, high: number] {
  const differences = ours.map((right, index) => Number(right) - Number(theirs[index]))
  const rng = rngFor(1, 0, 'bootstrap')
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0
    for (let draw = 0; draw < differences.length; draw++) sum += differences[rng.int(differences.length)] ?? 0
    return sum / differences.length
  }).sort((a, b) => a - b)
  return [means[Math.floor(0.025 * RESAMPLES)] ?? 0, means[Math.floor(0.975 * RESAMPLES)] ?? 0]
}

export function shareOf(right: readonly boolean[]): number {
  return right.filter(Boolean).length / right.length
}
