import * as z from 'zod'
import type { Usage } from '../core/budget/budget.ts'
import { LoreleyError } from '../errors.ts'

/** The vector of a text, with the embedder's dimensions and length 1 or 0. */
export type TextVector = Float32Array

export interface Embedded {
  /** One per text, in order. */
  readonly vectors: readonly TextVector[]
  readonly usage: Paid
}

/** What embedding cost. */
export type Paid = Pick<Usage, 'tokens' | 'dollars'>

export const NOTHING_PAID: Paid = { tokens: 0, dollars: 0 }

export function addPaid(a: Paid, b: Paid): Paid {
  return { tokens: a.tokens + b.tokens, dollars: a.dollars + b.dollars }
}

/** A failed embedder, with what was paid until then. */
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

/** Runs work after something was paid for: a fault of the embedder then includes that cost. */
export async function afterPaying<T>(paid: Paid, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof EmbedderFault)) throw error
    const { message, hint, cause } = error
    throw new EmbedderFault(message, hint, { cause, paid: addPaid(paid, error.paid) })
  }
}

/** One component of a vector from outside. A larger one would not fit a 32-bit float. */
export const component = z.number().min(-1e30).max(1e30)

/** Turns texts into vectors that are close when the texts are similar. */
export interface Embedder {
  readonly dimensions: number
  /** Whether long files must be cut into windows first. */
  readonly chunked: boolean
  embed(texts: readonly string[]): Promise<Embedded>
}

/** Scales a vector to length 1 in place; a zero vector stays unchanged. */
export function normalise(vector: TextVector): TextVector {
  let squares = 0
  for (const component of vector) squares += component * component
  const length = Math.sqrt(squares)
  if (length > 0) for (const [index, component] of vector.entries()) vector[index] = component / length
  return vector
}
