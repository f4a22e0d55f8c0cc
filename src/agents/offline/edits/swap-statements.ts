import { pick } from '../../../core/rng.ts'
import type { Edit } from '../edit.ts'

/** Exchanges two neighbouring statements of one block. */
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
