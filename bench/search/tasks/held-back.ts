import { at, changeSome, fixedNumbers, heavyStep, merge } from '../draws.ts'
import type { Task } from '../task.ts'

type Numbers = readonly number[]

const JOBS = fixedNumbers(40, 51).map((x) => 1 + 9 * x ** 2)
const MACHINES = 5
const SPEEDS = fixedNumbers(MACHINES, 52).map((x) => 0.5 + x)

/** Jobs on unequal machines: when the last one ends. */
const schedule: Task<Numbers> = {
  name: 'schedule',
  direction: 'minimize',
  noise: 0.02,
  broken: 0.35,
  reference: 1.03 * (JOBS.reduce((sum, job) => sum + job, 0) / SPEEDS.reduce((sum, speed) => sum + speed, 0)),
  root: JOBS.map((_, index) => index % MACHINES),
  measure: (machines) =>
    Math.max(
      ...SPEEDS.map((speed, machine) => {
        const load = JOBS.reduce((sum, job, index) => sum + (machines[index] === machine ? job : 0), 0)
        return load / speed
      }),
    ),
  mutate: (machines, rng) => changeSome(machines, 1, rng, () => rng.int(MACHINES)),
  restructure: (machines, rng) => changeSome(machines, 4, rng, () => rng.int(MACHINES)),
  cross: merge,
  features: (machines) => machines.map((machine) => machine / MACHINES),
}

const NODES = 26
const LINKS = fixedNumbers(NODES * NODES, 53).map((x) => (x < 0.3 ? x * 3 : 0))

/** Splits a weighted graph so that as much weight as possible crosses the cut. */
const cut: Task<Numbers> = {
  name: 'graph-cut',
  direction: 'maximize',
  noise: 0,
  broken: 0.4,
  reference: 38,
  root: Array.from({ length: NODES }, (_, index) => (index < NODES / 2 ? 0 : 1)),
  measure: (sides) => {
    let weight = 0
    for (let a = 0; a < NODES; a++)
      for (let b = 0; b < a; b++) if (sides[a] !== sides[b]) weight += at(LINKS, a * NODES + b)
    return weight
  },
  mutate: (sides, rng) => changeSome(sides, 1, rng, (side) => 1 - side),
  restructure: (sides, rng) => changeSome(sides, 4, rng, (side) => 1 - side),
  cross: merge,
  features: (sides) => sides,
}

const TAPS = 14
const WANTED = fixedNumbers(TAPS, 54).map((x, index) => (2 * x - 1) * 0.85 ** index)
const FILTER_ROOT = Array.from({ length: TAPS }, () => 0)

/** A filter whose taps must fit a response. The later taps matter little, so it is badly scaled. */
const filter: Task<Numbers> = {
  name: 'filter-design',
  direction: 'maximize',
  noise: 0.01,
  broken: 0.35,
  reference: 0.85,
  root: FILTER_ROOT,
  measure: (taps) => {
    const error = Array.from({ length: 32 }, (_, k) => {
      const sum = taps.reduce(
        (total, tap, n) => total + (tap - at(WANTED, n)) * Math.cos((n * k * Math.PI) / 31),
        0,
      )
      return sum ** 2
    }).reduce((total, each) => total + each, 0)
    return 1 / (1 + Math.sqrt(error / 32))
  },
  mutate: (taps, rng) => changeSome(taps, 1, rng, (tap) => tap + 0.1 * heavyStep(rng)),
  restructure: (taps, rng) => taps.map((tap) => tap + 0.03 * heavyStep(rng)),
  cross: merge,
  features: (taps) => taps.map((tap) => Math.tanh(tap)),
}

/** Named in docs/explanation/search.md before the policy was tuned, and left out of all tuning. */
export const HELD_BACK_TASKS = { schedule, cut, filter }
