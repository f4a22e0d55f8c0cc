import { pick } from '../../../core/rng.ts'
import type { Edit } from './edit.ts'

const FLOAT_TERMS = [
  '* 1.01',
  '* 0.99',
  '* 1.1',
  '* 0.9',
  '* 1.5',
  '* 0.5',
  '* 2.0',
  '+ 0.001',
  '- 0.001',
  '+ 0.01',
  '- 0.01',
  '+ 0.1',
  '- 0.1',
]
const INTEGER_TERMS = ['* 2', '/ 2', '+ 1', '- 1']

/** Scales or shifts the value of one operand by a literal: `x` becomes `(x * 1.1)`. */
export const wrapExpression: Edit = {
  verb: 'scale',
  noun: 'expression',
  propose({ text, expressions, strictNumbers }, rng) {
    if (expressions.length === 0) return undefined
    const span = pick(expressions, rng)
    const inner = text.slice(span.start, span.end)
    // Where the types must agree, a float literal nearby is the only hint that the operand is one.
    const floats = !strictNumbers || /\d\.\d/.test(inner)
    const term = pick(floats ? FLOAT_TERMS : INTEGER_TERMS, rng)
    return { splices: [{ ...span, text: `(${isTight(inner) ? inner : `(${inner})`} ${term})` }], count: 1 }
  },
}

// Names, members, calls, elements and bracketed expressions bind tighter than any operator.
function isTight(expression: string): boolean {
  return /^[\w$.]*(\([^()]*\)|\[[^[\]]*\])*$/.test(expression)
}
