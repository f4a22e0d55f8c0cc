import type { Rng } from '../../../core/rng.ts'
import type { Source, Span } from '../source/source.ts'

/** Text that replaces a span. */
export interface Splice extends Span {
  readonly text: string
}

/** The effect of one edit. Splices do not overlap. */
interface Proposal {
  readonly splices: readonly Splice[]
  /** How many things change, for the summary. */
  readonly count: number
}

/** One kind of edit. It knows the shape of code, not its meaning. */
export interface Edit {
  readonly verb: string
  readonly noun: string
  /** Draws one edit of this kind; undefined when the source has no target for it. */
  propose(source: Source, rng: Rng): Proposal | undefined
}

/** The text with every splice in place. Everything outside the splices keeps its bytes. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = ''
  let done = 0
  for (const splice of splices.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(done, splice.start) + splice.text
    done = splice.end
  }
  return result + text.slice(done)
}
