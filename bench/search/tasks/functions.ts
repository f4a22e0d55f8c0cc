import type { Rng } from '../../../src/core/rng.ts'
import { at, changeSome, heavyStep, merge } from '../draws.ts'
import type { Task } from '../task.ts'

type Steps = readonly number[]

/** Erdős' minimum overlap: a step function on [0, 2] with mean 1/2, whose largest overlap with its complement is small. */
export const minimumOverlap: Task<Steps> = {
  name: 'minimum-overlap',
  direction: 'minimize',
  noise: 0,
  broken: 0.35,
  reference: 0.385,
  root: Array.from({ length: 24 }, () => 0.5),
  measure: (steps) => largestOverlap(balanced(steps)),
  mutate: (steps, rng) => nudged(steps, 1 + rng.int(2), 0.08, rng),
  restructure: (steps, rng) => (rng.unit() < 0.3 ? [...steps].reverse() : nudged(steps, 8, 0.15, rng)),
  cross: merge,
  features: (steps) => steps,
}

/** The second autocorrelation inequality: a non-negative step function whose autoconvolution is as flat as possible. */
export const autocorrelation: Task<Steps> = {
  name: 'autocorrelation',
  direction: 'maximize',
  noise: 0,
  broken: 0.35,
  reference: 0.82,
  root: Array.from({ length: 30 }, () => 1),
  measure: flatness,
  mutate: (steps, rng) => scaled(steps, 1 + rng.int(3), rng),
  restructure: (steps, rng) => (rng.unit() < 0.3 ? shifted(steps, rng) : scaled(steps, 10, rng)),
  cross: merge,
  features: (steps) => steps.map((step) => Math.log(0.1 + step)),
}

function nudged(steps: Steps, count: number, size: number, rng: Rng): number[] {
  return changeSome(steps, count, rng, (step) => Math.min(1, Math.max(0, step + size * heavyStep(rng))))
}

function scaled(steps: Steps, count: number, rng: Rng): number[] {
  return changeSome(steps, count, rng, (step) =>
    rng.unit() < 0.15 ? 0 : (step + 0.02) * Math.exp(Math.min(3, Math.max(-3, 0.3 * heavyStep(rng)))),
  )
}

function shifted(steps: Steps, rng: Rng): number[] {
  const by = rng.int(steps.length)
  return steps.map((_, index) => at(steps, (index + by) % steps.length))
}

// Moves all steps by the same amount until their mean is 1/2, as far as 0 and 1 allow.
function balanced(steps: Steps): number[] {
  let [low, high] = [-1, 1]
  const moved = (by: number): number[] => steps.map((step) => Math.min(1, Math.max(0, step + by)))
  for (let turn = 0; turn < 40; turn++) {
    const middle = (low + high) / 2
    const mean = moved(middle).reduce((sum, step) => sum + step, 0) / steps.length
    if (mean < 0.5) low = middle
    else high = middle
  }
  return moved((low + high) / 2)
}

function largestOverlap(steps: Steps): number {
  const width = 2 / steps.length
  let most = 0
  for (let shift = -steps.length; shift <= steps.length; shift++) {
    let overlap = 0
    for (let index = 0; index < steps.length; index++) {
      const other = steps[index + shift]
      if (other !== undefined) overlap += at(steps, index) * (1 - other)
    }
    most = Math.max(most, overlap * width)
  }
  return most
}

function flatness(steps: Steps): number | undefined {
  const convolved = Array.from({ length: 2 * steps.length - 1 }, () => 0)
  for (const [a, x] of steps.entries()) {
    for (const [b, y] of steps.entries()) convolved[a + b] = at(convolved, a + b) + x * y
  }
  // Between two knots the autoconvolution of a step function is linear.
  const knots = [0, ...convolved, 0]
  const sections = knots.slice(1).map((knot, index) => [at(knots, index), knot] as const)
  const sum = sections.reduce((total, [a, b]) => total + (a + b) / 2, 0)
  const squares = sections.reduce((total, [a, b]) => total + (a * a + a * b + b * b) / 3, 0)
  return sum > 0 ? squares / (sum * Math.max(...knots)) : undefined
}
