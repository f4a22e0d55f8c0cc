import { Matrix, SVD } from 'ml-matrix'
import { PCA } from 'ml-pca'
import { finish, type Steps } from '../steps.ts'
import { findSubspace, SPARE_DIRECTIONS } from './subspace.ts'

/** A centre and unit directions. */
export interface Axes {
  readonly mean: readonly number[]
  readonly axes: readonly (readonly number[])[]
}

// A variance below this share of the squared vector size is rounding, not behaviour.
const LEAST_SPREAD = 1e-9

/**
 * The directions of largest variance. PCA over hundreds of components takes seconds, so it runs in the subspace that
 * holds most of the variance. Undefined if there are too few distinct vectors, or too little variance, for so many axes.
 */
export function* fitAxesInSteps(rows: readonly Float64Array[], count: number): Steps<Axes | undefined> {
  const mean = meanOf(rows)
  yield
  if (!areVaried(rows, count + 2)) return undefined
  const basis = yield* findSubspace(rows, mean, count + SPARE_DIRECTIONS)
  yield
  const middle = basis.map((direction) => dot(direction, mean))
  const seen = rows.map((row) => basis.map((direction, index) => dot(direction, row) - (middle[index] ?? 0)))
  yield
  const pca = new PCA(seen, { method: 'SVD' })
  const loadings = pca.getLoadings().to2DArray().slice(0, count)
  if (loadings.length < count || !loadings.flat().every(Number.isFinite)) return undefined
  yield
  const axes = loadings.map((loading) => toUnit(combine(loading, basis)))
  const size = rows.reduce((sum, row) => sum + dot(row, row), 0) / rows.length
  const least = Math.min(...axes.map((axis) => varianceAlong(rows, { mean, axes: [axis] })))
  return least > LEAST_SPREAD * size && areApart(axes) ? { mean, axes } : undefined
}

/** The same, all at once. */
export function fitAxes(rows: readonly Float64Array[], count: number): Axes | undefined {
  return finish(fitAxesInSteps(rows, count))
}

function areVaried(rows: readonly Float64Array[], wanted: number): boolean {
  const distinct: Float64Array[] = []
  for (const row of rows) {
    if (distinct.some((known) => known.every((component, slot) => component === row[slot]))) continue
    distinct.push(row)
    if (distinct.length === wanted) return true
  }
  return false
}

// Once all variance is used up, further directions are arbitrary, often the first one again.
function areApart(axes: readonly (readonly number[])[]): boolean {
  return axes.every((axis, index) => axes.slice(0, index).every((other) => Math.abs(dot(axis, other)) < 0.01))
}

/** Rotates axes within their span to match the old ones as closely as possible (orthogonal Procrustes). */
export function alignAxes({ mean, axes }: Axes, old: readonly (readonly number[])[]): Axes {
  if (old.length !== axes.length || old[0]?.length !== axes[0]?.length) return { mean, axes }
  const current = new Matrix(axes.map((axis) => [...axis]))
  const svd = new SVD(current.mmul(new Matrix(old.map((axis) => [...axis])).transpose()))
  const rotation = svd.leftSingularVectors.mmul(svd.rightSingularVectors.transpose())
  return { mean, axes: rotation.transpose().mmul(current).to2DArray().map(toUnit) }
}

/** Interpolates between two sets of axes and orthonormalises the result (Gram–Schmidt). */
export function blendAxes(
  from: readonly (readonly number[])[],
  to: readonly (readonly number[])[],
  share: number,
): (readonly number[])[] {
  const done: number[][] = []
  for (const [row, axis] of from.entries()) {
    const mixed = axis.map(
      (component, slot) => component + share * ((to[row]?.[slot] ?? component) - component),
    )
    for (const other of done) {
      const across = dot(mixed, other)
      for (const [slot, component] of other.entries()) mixed[slot] = (mixed[slot] ?? 0) - across * component
    }
    done.push(toUnit(mixed))
  }
  return done
}

/** The total variance of the vectors along the axes. */
export function varianceAlong(rows: readonly Float64Array[], { mean, axes }: Axes): number {
  return axes.reduce((sum, axis) => {
    const centre = dot(axis, mean)
    const scores = rows.map((row) => dot(axis, row) - centre)
    const middle = scores.reduce((total, score) => total + score, 0) / rows.length
    return sum + scores.reduce((total, score) => total + (score - middle) ** 2, 0) / rows.length
  }, 0)
}

/** The total variance of the vectors. */
export function varianceOf(rows: readonly Float64Array[], mean: readonly number[]): number {
  let squares = 0
  for (const row of rows)
    for (let index = 0; index < row.length; index++) squares += ((row[index] ?? 0) - (mean[index] ?? 0)) ** 2
  return squares / rows.length
}

function meanOf(rows: readonly Float64Array[]): number[] {
  const sum = new Float64Array(rows[0]?.length ?? 0)
  for (const row of rows)
    for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + (row[index] ?? 0)
  return Array.from(sum, (total) => rounded(total / rows.length))
}

// Six digits position a candidate as well as sixteen and keep projection.json readable.
function toUnit(axis: readonly number[]): number[] {
  return scaled(axis, 1 / lengthOf(axis)).map(rounded)
}

function combine(weights: readonly number[], directions: readonly (readonly number[])[]): number[] {
  return (directions[0] ?? []).map((_, slot) =>
    weights.reduce((sum, weight, index) => sum + weight * (directions[index]?.[slot] ?? 0), 0),
  )
}

function scaled(vector: readonly number[], by: number): number[] {
  return vector.map((component) => component * by)
}

function lengthOf(vector: readonly number[]): number {
  return Math.sqrt(dot(vector, vector))
}

function rounded(value: number): number {
  return Number(value.toPrecision(6))
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return sum
}
