import { pick } from '../../../core/rng.ts'
import type { Edit } from '../edit.ts'
import { counterpartsOf } from '../operator-pairs.ts'

/** Replaces one operator or comparison by a counterpart. */
export const changeOperator: Edit = {
  verb: 'change',
  noun: 'operator',
  propose({ text, operators }, rng) {
    if (operators.length === 0) return undefined
    const span = pick(operators, rng)
    const [nearest, ...others] = counterpartsOf(text.slice(span.start, span.end))
    if (nearest === undefined) return undefined
    const far = others.length > 0 && rng.int(3) === 0
    return { splices: [{ ...span, text: far ? pick(others, rng) : nearest }], count: 1 }
  },
}
