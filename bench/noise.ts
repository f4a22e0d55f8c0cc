import type { Rng } from '../src/core/rng.ts'

/** The kinds of noise an evaluator may have; each gives factors around 1 with a coefficient of variation of 3 %. */
export const NOISES = ['normal', 'heavy-tailed', 'drifting', 'bimodal'] as const
export type NoiseKind = (typeof NOISES)[number]

const VARIATION = 0.03

/** A machine whose measurements vary: each call is one run, in order. */
export function createMachine(kind: NoiseKind, rng: Rng): () => number {
  let run = 0
  const direction = rng.unit() < 0.5 ? -1 : 1
  switch (kind) {
    case 'normal':
      return () => 1 + VARIATION * normal(rng)
    case 'heavy-tailed':
      return () => Math.max(0.05, 1 + VARIATION * studentOf3(rng))
    case 'drifting':
      // Up or down by 8 % over forty runs, as a machine that warms up, and noise on top.
      return () => 1 + VARIATION * (0.6 * normal(rng) + direction * 0.8 * Math.sqrt(12) * (run++ / 40 - 0.5))
    case 'bimodal':
      // One run in four is hit by something else on the machine.
      return () =>
        1 +
        VARIATION * (0.24 * normal(rng) + (0.97 * ((rng.unit() < 0.25 ? 1 : 0) - 0.25)) / Math.sqrt(3 / 16))
  }
}

function normal(rng: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - rng.unit())) * Math.cos(2 * Math.PI * rng.unit())
}

/** Student's t with 3 degrees of freedom, scaled to variance 1: its fourth moment is infinite. */
function studentOf3(rng: Rng): number {
  const squares = [normal(rng), normal(rng), normal(rng)].reduce((sum, value) => sum + value * value, 0)
  return normal(rng) / Math.sqrt(squares / 3) / Math.sqrt(3)
}
