import type { Usage } from '../core/budget/budget.ts'
import { LoreleyError } from '../errors.ts'

/** What a text becomes: as many numbers as the embedder has dimensions, of length 1 or 0. */
export type TextVector = Float32Array

export interface Embedded {
  /** One a text, in their order. */
  readonly vectors: readonly TextVector[]
  readonly usage: Paid
}

/** What embedding cost. */
export type Paid = Pick<Usage, 'tokens' | 'dollars'>

export const NOTHING_PAID: Paid = { tokens: 0, dollars: 0 }

export function addPaid(a: Paid, b: Paid): Paid {
  return { tokens: a.tokens + b.tokens, dollars: a.dollars + b.dollars }
}

/** An embedder that cannot be used. What was paid until then is paid. */
export class EmbedderFault extends LoreleyError {
  readonly paid: Paid

  constructor(message: string, hint: string, { cause, paid = NOTHING_PAID }: FaultFacts = {}) {
    super('embedder-failed', message, hint, cause)
    this.paid = paid
  }
}

interface FaultFacts {
  readonly cause?: unknown
  readonly paid?: Paid
}

/** Goes on after something was paid for: a fault of the embedder then tells of that too. */
export async function afterPaying<T>(paid: Paid, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof EmbedderFault)) throw error
    const { message, hint, cause } = error
    throw new EmbedderFault(message, hint, { cause, paid: addPaid(paid, error.paid) })
  }
}

/** Turns texts into vectors that are near each other when the texts are alike. */
export interface Embedder {
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
