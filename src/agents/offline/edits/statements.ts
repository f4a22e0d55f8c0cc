import { pick, type Rng } from '../../../core/rng.ts'
import type { Source, Statement } from '../source/source.ts'
import { lineBreakOf, withLineBreak } from '../source/whole-lines.ts'
import { applySplices, type Edit } from './edit.ts'
import { spliceNumber } from './numbers.ts'

/** Swaps two neighbouring statements of a block. */
export const swapStatements: Edit = {
  verb: 'swap',
  noun: 'statement',
  propose({ text, blocks }, rng) {
    const pairs = blocks.flatMap((block) => {
      const movable = block.filter((statement) => statement.kind !== 'jump')
      return movable.slice(1).map((second, index) => ({ first: movable[index] ?? second, second }))
    })
    if (pairs.length === 0) return undefined
    const { first, second } = pick(pairs, rng)
    return {
      splices: [
        { ...first, text: text.slice(second.start, second.end) },
        { ...second, text: text.slice(first.start, first.end) },
      ],
      count: 2,
    }
  },
}

/** Moves one statement before another of the same block. */
export const moveStatement: Edit = {
  verb: 'move',
  noun: 'statement',
  propose({ text, blocks }, rng) {
    const movable = blocks.map((block) => block.filter((statement) => statement.kind !== 'jump'))
    const roomy = movable.filter((block) => block.length > 2)
    if (roomy.length === 0) return undefined
    const block = pick(roomy, rng)
    const from = rng.int(block.length)
    // Moving a statement right behind itself changes nothing, and one step further is a swap.
    const targets = block.filter((_, index) => index !== from && index !== from + 1)
    const moved = block[from]
    if (moved === undefined) return undefined
    const target = pick(targets, rng)
    const carried = text.slice(moved.start, moved.end) + lineBreakOf(text)
    return {
      splices: [
        { ...withLineBreak(text, moved), text: '' },
        { start: target.start, end: target.start, text: carried },
      ],
      count: 1,
    }
  },
}

/** Repeats one statement. Half of the time, a number in the copy changes. */
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

/** Removes one statement with its line. */
export const dropStatement: Edit = {
  verb: 'drop',
  noun: 'statement',
  propose({ text, blocks }, rng) {
    // Removing a declaration leaves an unknown name, removing the last jump leaves a block without a result, and an
    // empty block is an error in Python that its grammar accepts.
    const roomy = blocks.filter((block) => block.length > 1)
    const spare = roomy.flatMap((block) =>
      block.filter(({ kind }, index) => kind === 'plain' || (kind === 'jump' && index < block.length - 1)),
    )
    if (spare.length === 0) return undefined
    return { splices: [{ ...withLineBreak(text, pick(spare, rng)), text: '' }], count: 1 }
  },
}
