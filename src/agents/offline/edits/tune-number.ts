import type { Edit } from '../edit.ts'
import { pickByWeight } from '../pick-by-weight.ts'
import { isStructural, spliceNumber } from './splice-number.ts'

/** Moves one numeric literal. */
export const tuneNumber: Edit = {
  verb: 'tune',
  noun: 'number',
  propose({ text, numbers }, rng) {
    const weighted = numbers.map((span) => ({ span, weight: isStructural(text, span) ? 1 : 4 }))
    const chosen = pickByWeight(weighted, rng)
    const splice = chosen === undefined ? undefined : spliceNumber(text, chosen.span, rng)
    return splice === undefined ? undefined : { splices: [splice], count: 1 }
  },
}
