import type { Usage } from '../core/budget.ts'

/** What a text becomes: as many numbers as the embedder has dimensions, of length 1 or 0. */
export type TextVector = Float32Array

export interface Embedded {
  /** One a text, in their order. */
  readonly vectors: readonly TextVector[]
  readonly usage: Pick<Usage, 'tokens' | 'dollars'>
}

/** Turns texts into vectors that are near each other when the texts are alike. */
export interface Embedder {
  /** Names everything that decides the numbers. Part of the campaign: another identity, another space. */
  readonly identity: string
  readonly dimensions: number
  /** Whether long files must be cut into windows first. */
  readonly chunked: boolean
  embed(texts: readonly string[]): Promise<Embedded>
}

/** Scales a vector to length 1, in place; one without length stays as it is. */
export function normalise(vector: TextVector): TextVector {
  let squares = 0
  for (const component of vector) squares += component * component
  const length = Math.sqrt(squares)
  if (length > 0) for (const [index, component] of vector.entries()) vector[index] = component / length
  return vector
}
