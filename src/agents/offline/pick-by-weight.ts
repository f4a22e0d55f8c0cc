import { pickWeighted, type Rng } from '../../core/rng.ts'

/** One element, drawn with probability proportional to its weight; undefined when there is none. */
export function pickByWeight<T extends { readonly weight: number }>(
  items: readonly T[],
  rng: Rng,
): T | undefined {
  if (items.length === 0) return undefined
  const weights = items.map(({ weight }) => weight)
  return items[pickWeighted(weights, rng)]
}
