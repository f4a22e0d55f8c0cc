import type { Rng } from '../src/core/rng.ts'

/** The kinds of noise an evaluator may have; each gives factors around 1 with a coefficient of variation of 3 %. */
export const NOISES = ['normal', 'heavy-tailed', 'drifting', 'bimodal', 'carry-over'] as const
/** None of the plan's settings was chosen on these, except that the confidence rose because of heating and periodic. */
export const UNSEEN_NOISES = [
  'autocorrelated',
  'lognormal-with-outliers',
  'bursts',
  'heating',
  'periodic',
  'steps',
] as const
export type NoiseKind = (typeof NOISES)[number] | (typeof UNSEEN_NOISES)[number]

const VARIATION = 0.03

/** A machine whose measurements vary. Each call is one run, in order; `isCandidate` says whose files run. */
export type Machine = (isCandidate: boolean) => number

export function createMachine(kind: NoiseKind, rng: Rng): Machine {
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
    case 'autocorrelated': {
      // A neighbour on the machine comes and goes: each run keeps half of what disturbed the one before (AR(1)).
      let last = normal(rng)
      return () => {
        last = 0.5 * last + Math.sqrt(1 - 0.25) * normal(rng)
        return 1 + VARIATION * last
      }
    }
    case 'bursts': {
      // One run in six, four in a row on average, shares the machine with something else.
      const size = (VARIATION * Math.sqrt(1 - 0.16)) / Math.sqrt(5 / 36)
      let inBurst = rng.unit() < 1 / 6
      return () => {
        inBurst = rng.unit() < (inBurst ? 0.75 : 0.05)
        return 1 + VARIATION * 0.4 * normal(rng) + size * ((inBurst ? 1 : 0) - 1 / 6)
      }
    }
    case 'carry-over': {
      // What a candidate leaves behind (heat, caches) makes the next run 2 % slower or faster, beside noise of 1 %.
      let wasCandidate = false
      return (isCandidate) => {
        const factor = 1 + 0.01 * normal(rng) + direction * (wasCandidate ? 0.02 : 0)
        wasCandidate = isCandidate
        return factor
      }
    }
    case 'heating': {
      // Candidates heat or cool the machine, which forgets slowly: up to 2 %, beside noise of 1 %.
      let heat = 0
      return (isCandidate) => {
        const factor = 1 + 0.01 * normal(rng) + direction * 0.02 * heat
        heat = 0.7 * heat + (isCandidate ? 0.3 : 0)
        return factor
      }
    }
    case 'periodic': {
      // Something else on the machine returns every 3 to 9 runs.
      const period = 3 + 6 * rng.unit()
      const phase = rng.unit()
      return () =>
        1 +
        VARIATION * (0.5 * normal(rng) + Math.sqrt(1.5) * Math.sin(2 * Math.PI * (run++ / period + phase)))
    }
    case 'steps': {
      // The machine stays at one speed for twelve runs on average, then jumps to another.
      let level = normal(rng)
      return () => {
        if (rng.unit() < 1 / 12) level = normal(rng)
        return 1 + VARIATION * (0.5 * normal(rng) + Math.sqrt(0.75) * level)
      }
    }
    case 'lognormal-with-outliers': {
      // Never below a floor, a tail to one side, and one run in fifty that takes a fifth longer.
      const share = 0.02
      const size = 0.2
      const spread = Math.sqrt(VARIATION ** 2 - size ** 2 * share * (1 - share))
      return () => Math.exp(spread * normal(rng)) * (rng.unit() < share ? 1 + size : 1)
    }
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
