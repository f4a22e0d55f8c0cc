import { at, fixedNumbers } from '../draws.ts'
import type { Task } from '../task.ts'

type Tour = readonly number[]

const STOPS = 30
const X = fixedNumbers(STOPS, 31)
const Y = fixedNumbers(STOPS, 32)

/** The order of 30 stops of a round trip: the length of the way. */
export const tours: Task<Tour> = {
  name: 'order-of-work',
  direction: 'minimize',
  noise: 0.01,
  broken: 0.35,
  reference: 6,
  root: Array.from({ length: STOPS }, (_, index) => index),
  measure: lengthOf,
  mutate: (tour, rng) => {
    const [a = 0, b = 0] = [rng.int(STOPS), rng.int(STOPS)].sort((p, q) => p - q)
    if (rng.unit() < 0.5)
      return [...tour.slice(0, a), ...tour.slice(a, b + 1).reverse(), ...tour.slice(b + 1)]
    const rest = tour.toSpliced(a, 1)
    return rest.toSpliced(rng.int(STOPS), 0, at(tour, a))
  },
  restructure: (tour, rng) => {
    const from = rng.int(STOPS)
    const part = tour.slice(from, from + 2 + rng.int(6))
    const rest = tour.filter((stop) => !part.includes(stop))
    return rest.toSpliced(rng.int(rest.length + 1), 0, ...part)
  },
  cross: (tour, { donor }, rng) => {
    const from = rng.int(STOPS)
    const part = donor.slice(from, from + 3 + rng.int(STOPS >> 1))
    const rest = tour.filter((stop) => !part.includes(stop))
    return rest.toSpliced(Math.min(from, rest.length), 0, ...part)
  },
  features: (tour) => tour.map((stop, index) => (stop - index) / STOPS),
}

function lengthOf(tour: Tour): number {
  return tour.reduce((sum, stop, index) => {
    const next = at(tour, (index + 1) % STOPS)
    return sum + Math.hypot(at(X, stop) - at(X, next), at(Y, stop) - at(Y, next))
  }, 0)
}
