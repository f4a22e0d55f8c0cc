import type { LeftOut } from './left-out.ts'

/** A candidate's content: the direction and size of its change, and readable labels for it. */
export interface Embedding {
  /** See `encodeVector`. */
  readonly vector: string
  /** The changed files with the largest weight. */
  readonly files: readonly string[]
  /** Identifier parts whose number of uses changed most. */
  readonly terms: readonly string[]
  /** Changed files (for the root: all files) that are not in the vector. Absent if there are none. */
  readonly leftOut?: LeftOut | undefined
}

/** The longest file or term of an embedding. */
export const LABEL_CHARACTERS = 256

/** Set when the embedder changes. Earlier vectors belong to another space and no longer count. */
export interface Space {
  /** Its first epoch. */
  readonly since: number
  /** How many candidates had finished by then. */
  readonly finished: number
  /** How many earlier elites were embedded again. */
  readonly described: number
}

const HEAD_BYTES = 8
const STEPS = 127
// An oversized vector would bend every axis towards itself. Directions have length 1, so differences are at most 2, and
// rounding to bytes adds at most a quarter in 4,096 dimensions.
const MOST_LENGTH = 2.5
// The magnitude is logarithmic: a million files with a million lines each give 14.
const MOST_MAGNITUDE = 16

/**
 * Encodes a vector as base64: a float32 scale, a float32 magnitude, then one signed byte per component. A byte is enough
 * for two or three axes out of hundreds of components, and keeps 100 candidates below 70 KB.
 */
export function encodeVector(components: ArrayLike<number>, magnitude: number): string {
  const values = Array.from(components)
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const view = new DataView(new ArrayBuffer(HEAD_BYTES + values.length))
  view.setFloat32(0, largest / STEPS)
  view.setFloat32(4, magnitude)
  // Use the stored scale, so that decoding gives the nearest value.
  const scale = view.getFloat32(0)
  for (const [index, value] of values.entries()) {
    view.setInt8(HEAD_BYTES + index, scale > 0 ? clampToStep(Math.round(value / scale)) : 0)
  }
  const bytes = Array.from({ length: view.byteLength }, (_, index) =>
    String.fromCharCode(view.getUint8(index)),
  )
  return btoa(bytes.join(''))
}

/** Decodes the components, followed by the magnitude; undefined if the text is not a vector. */
export function decodeVector(text: string): Float64Array | undefined {
  const bytes = tryDecode(text)
  if (bytes === undefined || bytes.length < HEAD_BYTES) return undefined
  const view = new DataView(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)).buffer)
  const scale = view.getFloat32(0)
  const magnitude = view.getFloat32(4)
  const dimensions = view.byteLength - HEAD_BYTES
  const values = new Float64Array(dimensions + 1)
  let squares = 0
  for (let index = 0; index < dimensions; index++) {
    const value = scale * view.getInt8(HEAD_BYTES + index)
    values[index] = value
    squares += value * value
  }
  // NaN fails both comparisons.
  if (!(Math.sqrt(squares) <= MOST_LENGTH) || !(Math.abs(magnitude) <= MOST_MAGNITUDE)) return undefined
  values[dimensions] = magnitude
  return values
}

function clampToStep(step: number): number {
  return Math.max(-STEPS, Math.min(STEPS, step))
}

function tryDecode(text: string): string | undefined {
  // `atob` throws on anything else, and vectors from runners are untrusted.
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
    ? atob(text)
    : undefined
}
