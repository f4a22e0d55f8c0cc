import { at, changeSome, fixedNumbers, heavyStep, merge } from '../draws.ts'
import type { Task } from '../task.ts'

type Knobs = readonly number[]

const COUNT = 12
const BEST = fixedNumbers(COUNT, 41).map((x) => 4 * x - 2)
const WORTH = fixedNumbers(COUNT, 42).map((x) => 0.02 + 0.1 * x)

/** Twelve continuous knobs of a program with many local optima; neighbours influence each other. */
export const tuning: Task<Knobs> = {
  name: 'rugged-tuning',
  direction: 'maximize',
  noise: 0.03,
  broken: 0.3,
  reference: 0.85 * speedOf(BEST),
  root: Array.from({ length: COUNT }, () => 0),
  measure: speedOf,
  mutate: (knobs, rng) => changeSome(knobs, 1 + rng.int(2), rng, (knob) => knob + 0.2 * heavyStep(rng)),
  restructure: (knobs, rng) => changeSome(knobs, 4, rng, () => 5 * rng.unit() - 2.5),
  cross: merge,
  features: (knobs) => knobs.map((knob) => Math.tanh(knob)),
}

function speedOf(knobs: Knobs): number {
  const gain = knobs.reduce((sum, knob, index) => {
    const off = Math.min(4, Math.abs(knob - at(BEST, index)))
    const ripple = 0.25 * (1 - Math.cos(2 * Math.PI * off))
    const next = (index + 1) % COUNT
    const tie = 0.1 * Math.min(2, Math.abs(off - Math.min(4, Math.abs(at(knobs, next) - at(BEST, next)))))
    return sum + at(WORTH, index) * (2 - off - ripple - tie)
  }, 0)
  return Math.exp(gain)
}
