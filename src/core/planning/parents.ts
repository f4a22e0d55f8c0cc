import { median } from 'simple-statistics'
import type { Archive, Elite, Member } from '../archive/archive.ts'
import type { Objective } from '../measuring/objective.ts'
import { pickWeighted, type Rng, shuffled } from '../rng.ts'

/**
 * Draws a parent among the elites: weight = sigmoid((value − median) ∕ MAD) ∕ (1 + children).
 * With several objectives the mean position counts. Median and MAD make it independent of the metric's scale, and the
 * children term spreads the work (ShinkaEvolve's weighted sampling).
 */
export function sampleParent(
  members: readonly Member[],
  objectives: readonly Objective[],
  children: Readonly<Record<string, number>>,
  rng: Rng,
): Member | undefined {
  if (members.length === 0) return undefined
  const positions = objectives.map((objective, index) =>
    positionsOn(
      members.map(({ elite }) => (objective.direction === 'minimize' ? -1 : 1) * (elite.value[index] ?? 0)),
    ),
  )
  const weights = members.map(({ elite }, index) => {
    const sum = positions.reduce((total, position) => total + (position[index] ?? 0), 0)
    return sigmoid(sum / objectives.length) / (1 + (children[elite.ordinal] ?? 0))
  })
  return members[pickWeighted(weights, rng)]
}

function positionsOn(values: readonly number[]): number[] {
  const middle = median([...values])
  const spread = median(values.map((value) => Math.abs(value - middle)))
  // If most values are equal, the others are infinitely far away, and two objectives of opposite sign would add up to NaN.
  return values.map((value) => clamp((value - middle) / Math.max(spread, Number.MIN_VALUE), POSITION_LIMIT))
}

// At this distance a sigmoid is 1 to eight digits.
const POSITION_LIMIT = 20

function clamp(x: number, limit: number): number {
  return Math.min(limit, Math.max(-limit, x))
}

const NEIGHBOUR_RADIUS = 3

/** Elites of nearby niches by growing radius, shuffled within each ring, then any others. Excludes the parent. */
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
