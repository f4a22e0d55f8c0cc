import { median } from 'simple-statistics'
import type { Archive, Elite, Member } from '../archive/archive.ts'
import type { Objective } from '../measuring/objective.ts'
import { pickWeighted, type Rng, shuffled } from '../rng.ts'

/**
 * Draws a parent among the elites: weight = sigmoid((value − median) ∕ MAD) ∕ (1 + children).
 * Of several objectives the mean standing counts. Median and MAD make it independent of the metric's scale; the
 * children term spreads the work (ShinkaEvolve's weighted sampling).
 */
export function sampleParent(
  members: readonly Member[],
  objectives: readonly Objective[],
  children: Readonly<Record<string, number>>,
  rng: Rng,
): Member | undefined {
  if (members.length === 0) return undefined
  const standings = objectives.map((objective, index) =>
    standingsOn(
      members.map(({ elite }) => (objective.direction === 'minimize' ? -1 : 1) * (elite.value[index] ?? 0)),
    ),
  )
  const weights = members.map(({ elite }, place) => {
    const sum = standings.reduce((total, standing) => total + (standing[place] ?? 0), 0)
    return sigmoid(sum / objectives.length) / (1 + (children[elite.ordinal] ?? 0))
  })
  return members[pickWeighted(weights, rng)]
}

function standingsOn(values: readonly number[]): number[] {
  const middle = median([...values])
  const spread = median(values.map((value) => Math.abs(value - middle)))
  // Where most values are equal the others stand infinitely far off: good on one objective and bad on another would be
  // no number at all.
  return values.map((value) => clamp((value - middle) / Math.max(spread, Number.MIN_VALUE), STANDING_LIMIT))
}

// As good as certain: a sigmoid is 1 there to eight digits.
const STANDING_LIMIT = 20

function clamp(x: number, limit: number): number {
  return Math.min(limit, Math.max(-limit, x))
}

const NEIGHBOUR_RADIUS = 3

/** Elites of nearby niches by growing radius, each ring shuffled; then any others. The parent is not among them. */
export function sampleInspirations(archive: Archive, parent: Member, count: number, rng: Rng): Elite[] {
  const others = archive.members(parent.island).filter(({ elite }) => elite.ordinal !== parent.elite.ordinal)
  const rings = Array.from({ length: NEIGHBOUR_RADIUS + 2 }, (): Elite[] => [])
  for (const { cell, elite } of others)
    rings[Math.min(NEIGHBOUR_RADIUS + 1, archive.distance(parent.cell, cell))]?.push(elite)
  const chosen: Elite[] = []
  for (const ring of rings) {
    if (chosen.length >= count) break
    chosen.push(...shuffled(ring, rng))
  }
  return chosen.slice(0, count)
}

function sigmoid(x: number): number {
  return x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x))
}
