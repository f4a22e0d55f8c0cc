import type { Rng } from '../../src/core/rng.ts'

/** What a solution is crossed with: another one, and the last ancestor that both share. */
export interface Pair<Genome> {
  readonly donor: Genome
  readonly base: Genome
}

/**
 * A search problem without a model. A change is what an agent would do: most are small, many break something, and few
 * bring much.
 */
export interface Task<Genome> {
  readonly name: string
  readonly direction: 'maximize' | 'minimize'
  /** The coefficient of variation of its evaluator; 0 for an exact one. */
  readonly noise: number
  /** The share of changes that fail whatever they do. Tasks with constraints of their own have fewer. */
  readonly broken: number
  /** A good value: progress is 0 at the root and 1 here. */
  readonly reference: number
  readonly root: Genome
  /** A positive number; undefined if the genome is invalid. */
  measure(genome: Genome): number | undefined
  /** A focused change. */
  mutate(genome: Genome, rng: Rng): Genome
  /** A larger change. */
  restructure(genome: Genome, rng: Rng): Genome
  /** A combination of both. */
  cross(genome: Genome, pair: Pair<Genome>, rng: Rng): Genome
  /** Numbers that tell kinds of solution apart. */
  features(genome: Genome): readonly number[]
}

/** A solution whose type only its task knows. */
export interface Solution {
  /** Without noise. */
  readonly value: number
  /** The position in behaviour space, from 0 to 1 on both axes. */
  readonly place: readonly [number, number]
  mutate(rng: Rng): Solution | undefined
  restructure(rng: Rng): Solution | undefined
  cross(pair: Pair<Solution>, rng: Rng): Solution | undefined
}

/** A task with its type hidden, so that tasks of different genomes fit one list. */
export interface Problem extends Pick<Task<unknown>, 'name' | 'direction' | 'noise' | 'reference'> {
  readonly root: Solution
}

/** Hides the genome of a task. */
export function asProblem<Genome>(task: Task<Genome>): Problem {
  const { name, direction, noise, reference } = task
  const genomes = new WeakMap<Solution, Genome>()
  const start = task.features(task.root)
  const solutionOf = (genome: Genome): Solution | undefined => {
    const value = task.measure(genome)
    if (value === undefined || !Number.isFinite(value) || value <= 0) return undefined
    const solution: Solution = {
      value,
      place: placeOf(task.features(genome), start),
      mutate: (rng) => attempt(task.mutate(genome, rng), rng),
      restructure: (rng) => attempt(task.restructure(genome, rng), rng),
      cross: ({ donor, base }, rng) => {
        const pair = { donor: genomes.get(donor) ?? genome, base: genomes.get(base) ?? genome }
        return attempt(task.cross(genome, pair, rng), rng)
      },
    }
    genomes.set(solution, genome)
    return solution
  }
  const attempt = (genome: Genome, rng: Rng): Solution | undefined =>
    rng.unit() < task.broken ? undefined : solutionOf(genome)
  const root = solutionOf(task.root)
  if (root === undefined) throw new RangeError(`${name}: the root is invalid`)
  return { name, direction, noise, reference, root }
}

/** How far a value is on the way from the root to the reference. */
export function progressOf({ root, reference }: Problem, value: number): number {
  return (value - root.value) / (reference - root.value)
}

// Two fixed projections of the difference from the root, squeezed into the unit square.
function placeOf(features: readonly number[], start: readonly number[]): readonly [number, number] {
  const length = Math.sqrt(Math.max(1, features.length))
  const along = (axis: number): number => {
    const sum = features.reduce((total, feature, index) => {
      return total + (feature - (start[index] ?? 0)) * Math.cos(1 + axis + 2.4 * index * (axis + 1))
    }, 0)
    return (1 + Math.tanh((3 * sum) / length)) / 2
  }
  return [along(0), along(1)]
}
