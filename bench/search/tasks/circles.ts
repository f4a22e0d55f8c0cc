import { at, changeSome, fixedNumbers, merge, step } from '../draws.ts'
import type { Task } from '../task.ts'

type Circle = readonly [x: number, y: number]

const COUNT = 26
const NUMBERS = fixedNumbers(2 * COUNT, 1)
const ROOT: readonly Circle[] = Array.from({ length: COUNT }, (_, index) => [
  at(NUMBERS, index),
  at(NUMBERS, COUNT + index),
])

/** 26 circles in the unit square; the sum of their radii. Strict: no radius ever overlaps a border or another circle. */
export const circles: Task<readonly Circle[]> = {
  name: 'circle-packing-26',
  direction: 'maximize',
  noise: 0,
  broken: 0.35,
  reference: 2.2,
  root: ROOT,
  measure: (centres) => radiiOf(centres).reduce((sum, radius) => sum + radius, 0),
  mutate: (centres, rng) =>
    changeSome(centres, 1 + rng.int(2), rng, ([x, y]) => [
      inside(x + 0.1 * step(rng)),
      inside(y + 0.1 * step(rng)),
    ]),
  restructure: (centres, rng) =>
    rng.unit() < 0.5
      ? changeSome(centres, 1, rng, () => [rng.unit(), rng.unit()])
      : centres.map(([x, y]) => [inside(x + 0.02 * step(rng)), inside(y + 0.02 * step(rng))]),
  cross: merge,
  features: (centres) => centres.flat(),
}

function inside(x: number): number {
  return Math.min(1, Math.max(0, x))
}

// Every circle grows as far as border and half-way to its neighbours, then into the room that smaller ones leave.
function radiiOf(centres: readonly Circle[]): number[] {
  const distance = (a: number, b: number): number => {
    const [p = [0, 0], q = [0, 0]] = [centres[a], centres[b]]
    return Math.hypot(p[0] - q[0], p[1] - q[1])
  }
  const border = centres.map(([x, y]) => Math.min(x, y, 1 - x, 1 - y))
  const radii = border.map((limit, a) =>
    Math.max(0, Math.min(limit, ...border.map((_, b) => (b === a ? limit : distance(a, b) / 2)))),
  )
  for (const a of radii.keys()) {
    const room = radii.map((radius, b) => (b === a ? at(border, a) : distance(a, b) - radius))
    radii[a] = Math.max(at(radii, a), Math.min(at(border, a), ...room))
  }
  return radii
}
