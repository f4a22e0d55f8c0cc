import { pick, type Rng } from '../../../core/rng.ts'
import { applySplices, type Edit } from '../edit.ts'
import type { Source, Statement } from '../source.ts'
import { lineBreakOf } from '../whole-lines.ts'
import { spliceNumber } from './splice-number.ts'

/** Repeats one statement; half of the time a number in the copy is moved. */
export const duplicateStatement: Edit = {
  verb: 'repeat',
  noun: 'statement',
  propose(source, rng) {
    const plain = source.blocks.flat().filter((statement) => statement.kind === 'plain')
    if (plain.length === 0) return undefined
    const statement = pick(plain, rng)
    const copy = rng.int(2) === 0 ? variedCopy(source, statement, rng) : copyOf(source, statement)
    const text = lineBreakOf(source.text) + copy
    return { splices: [{ start: statement.end, end: statement.end, text }], count: 1 }
  },
}

function copyOf({ text }: Source, { start, end }: Statement): string {
  return text.slice(start, end)
}

function variedCopy(source: Source, statement: Statement, rng: Rng): string {
  const copy = copyOf(source, statement)
  const inside = source.numbers
    .filter(({ start, end }) => start >= statement.start && end <= statement.end)
    .map(({ start, end }) => ({ start: start - statement.start, end: end - statement.start }))
  if (inside.length === 0) return copy
  const splice = spliceNumber(copy, pick(inside, rng), rng)
  return splice === undefined ? copy : applySplices(copy, [splice])
}
