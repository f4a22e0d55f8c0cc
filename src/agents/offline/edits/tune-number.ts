import { pickWeighted } from '../../../core/rng.ts'
import type { Edit } from '../edit.ts'
import { isStructural, spliceNumber } from './splice-number.ts'

/** Moves one numeric literal. */
export const tuneNumber: Edit = {
  verb: 'tune',
  noun: 'number',
  propose({ text, numbers }, rng) {
    const weights = numbers.map((span) => (isStructural(text, span) ? 1 : 4))
    const span = numbers.length === 0 ? undefined : numbers[pickWeighted(weights, rng)]
    const splice = span === undefined ? undefined : spliceNumber(text, span, rng)
    return splice === undefined ? undefined : { splices: [splice], count: 1 }
  },
}
