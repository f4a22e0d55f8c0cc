import { pick } from '../../../core/rng.ts'
import type { Edit } from './edit.ts'

/** The operators that may replace each one, nearest in meaning first. */
const COUNTERPARTS: Readonly<Record<string, readonly string[]>> = {
  '+': ['-', '*'],
  '-': ['+'],
  '*': ['/', '+'],
  '/': ['*'],
  '**': ['*'],
  '<': ['<=', '>'],
  '<=': ['<', '>='],
  '>': ['>=', '<'],
  '>=': ['>', '<='],
  '==': ['!='],
  '!=': ['=='],
  '===': ['!=='],
  '!==': ['==='],
  '~=': ['=='],
  '&&': ['||'],
  '||': ['&&'],
  and: ['or'],
  or: ['and'],
  '+=': ['-=', '*='],
  '-=': ['+='],
  '*=': ['/=', '+='],
  '/=': ['*='],
  '++': ['--'],
  '--': ['++'],
}

/** True when the token is an operator that can become another. */
export function hasCounterpart(token: string): boolean {
  return Object.hasOwn(COUNTERPARTS, token)
}

/** The operators that may replace this one, nearest in meaning first; empty for other tokens. */
function counterpartsOf(token: string): readonly string[] {
  return (hasCounterpart(token) ? COUNTERPARTS[token] : undefined) ?? []
}

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
