import type { Rng } from '../../../core/rng.ts'
import type { Splice } from '../edit.ts'
import { perturbLiteral, type Reach } from '../number-literal.ts'
import type { Span } from '../source.ts'

/** Another number in the place of the one at `span`; undefined when the one drawn does not fit there. */
export function spliceNumber(text: string, span: Span, rng: Rng, reach: Reach = 'any'): Splice | undefined {
  const written = perturbLiteral(text.slice(span.start, span.end), rng, reach)
  if (written === undefined) return undefined
  // `a - 2` must not become `a --2`, which is another operator in many languages.
  const afterSign = /[-+]\s*$/.test(text.slice(Math.max(0, span.start - 8), span.start))
  return written.startsWith('-') && afterSign ? undefined : { ...span, text: written }
}

/** True for 0 and 1: they are mostly first indices, steps and neutral elements, seldom something to tune. */
export function isStructural(text: string, { start, end }: Span): boolean {
  return /^[01]$/.test(text.slice(start, end))
}
