import { pick } from '../../../core/rng.ts'
import type { Edit } from '../edit.ts'
import { withLineBreak } from '../whole-lines.ts'

/** Removes one statement with its line. */
export const dropStatement: Edit = {
  verb: 'drop',
  noun: 'statement',
  propose({ text, blocks }, rng) {
    // Without its declaration a name is unknown, without its last jump a block gives no result, and an empty
    // block is an error in Python that its grammar lets pass.
    const roomy = blocks.filter((block) => block.length > 1)
    const spare = roomy.flatMap((block) =>
      block.filter(({ kind }, index) => kind === 'plain' || (kind === 'jump' && index < block.length - 1)),
    )
    if (spare.length === 0) return undefined
    return { splices: [{ ...withLineBreak(text, pick(spare, rng)), text: '' }], count: 1 }
  },
}
