import type { Policy } from '../../src/core/campaign/engine-config.ts'
import { pick, pickWeighted, type Rng, rngFor } from '../../src/core/rng.ts'
import { KINDS, type Kind } from './changes.ts'
import { DOMAINS, type Domain } from './vocabulary.ts'

/** How the candidates of a campaign follow from each other. */
export interface Lineage {
  readonly policy: Policy
  /** What candidate `ordinal` changes: another kind, another subject, or only what its ancestors added. */
  draw(ordinal: number, seed: number): Draw
}

export interface Draw {
  readonly kind: Kind
  readonly domain?: Domain | undefined
  /** Changes are made where the ancestors made theirs, if they made any. */
  readonly inherits: boolean
  /** How much better or worse than its parent. */
  readonly gain: number
}

const EVEN = KINDS.map(() => 1)

/**
 * - `siblings`: all from the root.
 * - `bred`: from elites, as campaigns do.
 * - `line`: always from the best: long lines of descent.
 * - `takeover`: bred, until one subject begins to pay and every later change is about it.
 * - `waves`: bred, and every 96 candidates another subject and another mix of kinds. Held back until refits were
 *   decided; the form of the bounds was chosen with it among the data.
 */
export const LINEAGES = {
  siblings: { policy: 'independent', draw: (ordinal, seed) => drawFreely(rngFor(seed, ordinal, 'draw')) },
  bred: { policy: 'qd', draw: (ordinal, seed) => drawFreely(rngFor(seed, ordinal, 'draw')) },
  line: { policy: 'champion', draw: (ordinal, seed) => drawFreely(rngFor(seed, ordinal, 'draw')) },
  takeover: { policy: 'qd', draw: drawTakeover },
  waves: { policy: 'qd', draw: drawWaves },
} as const satisfies Record<string, Lineage>

export type LineageName = keyof typeof LINEAGES

function drawFreely(rng: Rng): Draw {
  return { kind: pick(KINDS, rng), inherits: rng.int(2) === 0, gain: drawGain(rng, 0) }
}

const TAKEOVER_AT = 150

function drawTakeover(ordinal: number, seed: number): Draw {
  const rng = rngFor(seed, ordinal, 'draw')
  if (ordinal < TAKEOVER_AT) return drawFreely(rng)
  const domain = pick(DOMAINS, rngFor(seed, 0, 'takeover'))
  return { kind: pick(KINDS, rng), domain, inherits: rng.int(5) > 0, gain: drawGain(rng, 0.02) }
}

const WAVE = 96

function drawWaves(ordinal: number, seed: number): Draw {
  const rng = rngFor(seed, ordinal, 'draw')
  const wave = Math.floor(ordinal / WAVE)
  const favourite = rngFor(seed, wave, 'favourite').int(KINDS.length)
  const weights = EVEN.map((weight, index) => (index === favourite ? 5 : weight))
  return {
    kind: KINDS[pickWeighted(weights, rng)] ?? 'one-liner',
    domain: pick(DOMAINS, rngFor(seed, wave, 'subject')),
    inherits: rng.int(3) > 0,
    gain: drawGain(rng, 0.01),
  }
}

// Most changes make things a little worse, a few a little better.
function drawGain(rng: Rng, bonus: number): number {
  const spread = rng.unit() + rng.unit() + rng.unit() - 1.5
  return 0.06 * spread - 0.015 + bonus
}
