import { finish, type Steps } from '../steps.ts'
import { nameAxes } from './axis-names.ts'
import { moveTowards, type Placement } from './blend.ts'
import { fitBounds } from './bounds.ts'
import { decodeVector, type Embedding } from './embedding.ts'
import { type Axes, alignAxes, fitAxesInSteps, varianceAlong, varianceOf } from './fit-axes.ts'
import { type Projection, rawScores } from './projection.ts'

const MOST_VECTORS = 1000
const DECODED_PER_STEP = 200
const FIRST_FIT = 8
// The first fit and two refits see few candidates and replace each other. The last of them waits for three candidates
// per cell. From then on a refit may move at most one elite in 25: with drifting lineages an unbounded refit would move
// nearly all of them, and the map would lose its meaning.
const SETTLED_VERSION = 3
const SETTLED_PER_CELL = 3
const MOST_MOVED = 0.04
const GROWTH = 1.5

/** The fitting schedule of a campaign, fixed at its start. */
export interface FitSchedule {
  readonly warmUp: number
  readonly window: number
  readonly cells: number
}

/** The number of finished candidates at the next fit. The first fit precedes the first candidate bred from the archive. */
export function nextFitAt({ fittedAt, version }: Projection, schedule: FitSchedule): number {
  const settledAt = SETTLED_PER_CELL * schedule.cells
  if (fittedAt === 0) return Math.max(FIRST_FIT, schedule.warmUp - schedule.window + 1)
  if (version >= SETTLED_VERSION) return Math.ceil(fittedAt * GROWTH)
  const wanted = version === 1 ? Math.round(Math.sqrt(fittedAt * settledAt)) : settledAt
  return Math.max(2 * fittedAt, version === 0 ? 0 : wanted)
}

interface Point {
  readonly vector: Float64Array
  readonly embedding: Embedding
}

export interface FitOptions {
  readonly finished: number
  /** The number of parts of each learned axis. */
  readonly sides: readonly number[]
}

/** Fits a projection to a history. With too little variety the old one stays, and a later fit tries again. */
export function refit(old: Projection, embeddings: readonly Embedding[], options: FitOptions): Projection {
  return finish(refitInSteps(old, embeddings, options))
}

/** The same in steps, because a fit takes up to seconds. */
export function* refitInSteps(
  old: Projection,
  embeddings: readonly Embedding[],
  { finished, sides }: FitOptions,
): Steps<Projection> {
  const points = yield* readPoints(embeddings)
  const vectors = points.map(({ vector }) => vector)
  const fitted = yield* fitAxesInSteps(vectors, sides.length)
  if (fitted === undefined) return { ...old, fittedAt: finished }
  const { mean, axes, bounds } = yield* choosePlacement(old, fitted, { vectors, sides })
  yield
  const scores = vectors.map((vector) => rawScores(axes, mean, vector))
  yield
  const named = points.map(({ embedding }, index) => ({ ...embedding, scores: scores[index] ?? [] }))
  return {
    version: bounds === old.bounds ? old.version : old.version + 1,
    fittedAt: finished,
    mean,
    axes,
    bounds,
    names: nameAxes(
      named,
      axes.map((axis) => axis.at(-1) ?? 0),
    ),
    kept: Number((varianceAlong(vectors, { mean, axes }) / varianceOf(vectors, fitted.mean)).toFixed(4)),
  }
}

interface Scene {
  readonly vectors: readonly Float64Array[]
  readonly sides: readonly number[]
}

function* choosePlacement(old: Projection, fitted: Axes, { vectors, sides }: Scene): Steps<Placement> {
  const same = old.axes.length === fitted.axes.length && old.mean.length === fitted.mean.length
  const { mean, axes } = same ? alignAxes(fitted, old.axes) : pointOutwards(fitted)
  if (same && old.version >= SETTLED_VERSION)
    return yield* moveTowards(old, axes, { vectors, sides, mostMoved: MOST_MOVED })
  return { mean, axes, bounds: fitBounds(vectors.map((vector) => rawScores(axes, mean, vector))) }
}

// With nothing to align to, axes point towards larger changes, which makes maps easier to read.
function pointOutwards({ mean, axes }: Axes): Axes {
  return {
    mean,
    axes: axes.map((axis) => ((axis.at(-1) ?? 0) < 0 ? axis.map((component) => -component) : axis)),
  }
}

// Vectors of the most common length; ties go to the first. Other lengths come from another embedder.
function* readPoints(embeddings: readonly Embedding[]): Steps<Point[]> {
  const counts = new Map<number, number>()
  for (const { vector } of embeddings) counts.set(bytesOf(vector), (counts.get(bytesOf(vector)) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const usual = [...counts.keys()].find((bytes) => counts.get(bytes) === most)
  const points: Point[] = []
  // Decode after sampling: a history may be a hundred times longer than the sample.
  for (const embedding of sample(embeddings.filter(({ vector }) => bytesOf(vector) === usual))) {
    const vector = decodeVector(embedding.vector)
    if (vector !== undefined && points.push({ vector, embedding }) % DECODED_PER_STEP === 0) yield
  }
  return points
}

// The decoded size of base64 text.
function bytesOf(text: string): number {
  return (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)
}

// Samples evenly over the whole history, including the newest.
function sample(history: readonly Embedding[]): readonly Embedding[] {
  if (history.length <= MOST_VECTORS) return history
  return Array.from({ length: MOST_VECTORS }, (_, index) => {
    const at = Math.floor(((index + 1) * history.length) / MOST_VECTORS) - 1
    return history[at]
  }).filter((each) => each !== undefined)
}
