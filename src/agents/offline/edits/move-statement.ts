import { pick } from '../../../core/rng.ts'
import type { Edit } from '../edit.ts'
import { lineBreakOf, withLineBreak } from '../whole-lines.ts'

/** Takes one statement out and puts it before another of the same block. */
export const moveStatement: Edit = {
  verb: 'move',
  noun: 'statement',
  propose({ text, blocks }, rng) {
    const movable = blocks.map((block) => block.filter((statement) => statement.kind !== 'jump'))
    const roomy = movable.filter((block) => block.length > 2)
    if (roomy.length === 0) return undefined
    const block = pick(roomy, rng)
    const from = rng.int(block.length)
    // Right behind itself is no move; the place one further on is what a swap does.
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
