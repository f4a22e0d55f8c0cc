import { decodeVector, type Embedding } from '../embedding.ts'
import { nameAxes } from './axis-names.ts'
import { type AxisBounds, fitBounds, positionOf } from './bounds.ts'
import { type Axes, alignAxes, fitAxes, varianceAlong, varianceOf } from './fit-axes.ts'
import { type Projection, rawScores } from './projection.ts'

const MOST_VECTORS = 1000
const FIRST_FIT = 8
// The first fits know little and are always replaced. After the second refit each move costs elites their cells and the
// map its meaning: the old axes stay while they explain most of what the best ones would, the bounds while no
// large part of an axis has emptied.
const SETTLED_VERSION = 3
const WORTH_TURNING = 0.6
const WORTH_SCALING = 0.25

/** When the history is looked at next: before the first candidate is bred from the archive, then at each doubling. */
export function nextFitAt({ fittedAt }: Projection, warmUp: number, window: number): number {
  return fittedAt === 0 ? Math.max(FIRST_FIT, warmUp - window + 1) : fittedAt * 2
}

interface Point {
  readonly vector: Float64Array
  readonly embedding: Embedding
}

/**
 * The projection that a history asks for. Axes are turned, and bounds moved, only when the old ones have ceased
 * to fit: each move costs elites their cells. With too little variety the old projection stays.
 */
export function refit(
  old: Projection,
  embeddings: readonly Embedding[],
  { axes: count, finished }: { readonly axes: number; readonly finished: number },
): Projection {
  const points = sample(readPoints(embeddings))
  const vectors = points.map(({ vector }) => vector)
  const fitted = fitAxes(vectors, count)
  if (fitted === undefined) return { ...old, fittedAt: finished }
  const { mean, axes } = chooseAxes(old, fitted, vectors)
  const scores = vectors.map((vector) => rawScores(axes, mean, vector))
  const bounds = axes === old.axes && !hasDrifted(old.bounds, scores) ? old.bounds : fitBounds(scores)
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

function chooseAxes(old: Projection, fitted: Axes, vectors: readonly Float64Array[]): Axes {
  const same = old.axes.length === fitted.axes.length && old.mean.length === fitted.mean.length
  const settled = same && old.version >= SETTLED_VERSION
  if (settled && varianceAlong(vectors, old) >= WORTH_TURNING * varianceAlong(vectors, fitted)) return old
  return same ? alignAxes(fitted, old.axes) : pointOutwards(fitted)
}

// With nothing to align to, an axis points where changes are larger: maps read better so.
function pointOutwards({ mean, axes }: Axes): Axes {
  return {
    mean,
    axes: axes.map((axis) => ((axis.at(-1) ?? 0) < 0 ? axis.map((component) => -component) : axis)),
  }
}

/** Whether the candidates have left parts of an axis: the largest distance from an even spread (Kolmogorov). */
function hasDrifted(bounds: AxisBounds, scores: readonly (readonly number[])[]): boolean {
  const positions = scores.map((row) => positionOf(bounds, row))
  return (scores[0] ?? []).some((_, axis) => {
    const sorted = positions.map((row) => row[axis] ?? 0).sort((a, b) => a - b)
    const distances = sorted.map((position, index) => Math.abs((index + 0.5) / sorted.length - position))
    return Math.max(...distances) > WORTH_SCALING
  })
}

// All vectors of the most common length: one of another is from elsewhere.
function readPoints(embeddings: readonly Embedding[]): Point[] {
  const points = embeddings.flatMap((embedding) => {
    const vector = decodeVector(embedding.vector)
    return vector === undefined ? [] : [{ vector, embedding }]
  })
  const length = points[0]?.vector.length
  return points.filter(({ vector }) => vector.length === length)
}

// Evenly over the whole history, the newest among them.
function sample(points: readonly Point[]): readonly Point[] {
  if (points.length <= MOST_VECTORS) return points
  return Array.from({ length: MOST_VECTORS }, (_, index) => {
    const at = Math.floor(((index + 1) * points.length) / MOST_VECTORS) - 1
    return points[at]
  }).filter((point) => point !== undefined)
}
