import type { Edit } from '../edit.ts'
import { isStructural, spliceNumber } from './splice-number.ts'

const MOST = 4

/** Moves two to four neighbouring literals a little: numbers that stand together often belong together. */
export const tuneNumbers: Edit = {
  verb: 'tune',
  noun: 'number',
  propose({ text, numbers: all }, rng) {
    const numbers = all.filter((span) => !isStructural(text, span))
    if (numbers.length < 2) return undefined
    const wanted = Math.min(numbers.length, 2 + rng.int(MOST - 1))
    const first = rng.int(numbers.length - wanted + 1)
    const splices = numbers
      .slice(first, first + wanted)
      .map((span) => spliceNumber(text, span, rng, 'near'))
      .filter((splice) => splice !== undefined)
    return splices.length === 0 ? undefined : { splices, count: splices.length }
  },
}
