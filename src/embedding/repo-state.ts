import { encodeVector } from '../core/space/embedding.ts'
import { countLeftOut, type LeftOut, type LeftOutReason } from '../core/space/left-out.ts'
import type { TreeFile } from '../git/listing.ts'
import type { PathRule } from './eligible.ts'
import { addPaid, afterPaying, type Embedded, NOTHING_PAID } from './embedder.ts'
import type { FileVectors } from './file-vectors.ts'
import { addTo, directionOf, type FileStep, sumSteps } from './vectors.ts'

/** The sum over all files of a tree. Every candidate's mean follows from it and the candidate's changes. */
export interface TreeSum {
  readonly sum: Float64Array
  readonly files: number
  readonly leftOut: LeftOut
  readonly usage: Embedded['usage']
}

// Few enough to hold the texts in memory, many enough for an embedder's batches.
const GROUP = 64

/** Embeds a whole tree in groups, so that its texts are never all in memory at once. */
export async function embedTree(
  files: readonly TreeFile[],
  rule: PathRule,
  vectors: FileVectors,
): Promise<TreeSum> {
  const sum = new Float64Array(vectors.embedder.dimensions)
  const leftOut: LeftOutReason[] = []
  let usage = NOTHING_PAID
  for (let start = 0; start < files.length; start += GROUP) {
    const group = files.slice(start, start + GROUP)
    const reasons = group.map(({ path, mode }) => rule(path, mode))
    const eligible = group.filter((_, index) => reasons[index] === undefined)
    const embedded = await afterPaying(usage, () => vectors.embed(eligible))
    for (const file of embedded.files) addTo(sum, file, 1)
    usage = addPaid(usage, embedded.usage)
    leftOut.push(...reasons.filter((reason) => reason !== undefined))
    leftOut.push(...embedded.files.flatMap((file) => (file.status === 'left-out' ? file.reason : [])))
  }
  return { sum, files: files.length - leftOut.length, leftOut: countLeftOut(leftOut), usage }
}

/**
 * The mean over the whole repository as a difference from the root. A projection subtracts a mean anyway, and the difference
 * is not rounded away when one file of thousands changes.
 */
export function encodeRepoState(steps: readonly FileStep[], root: TreeSum): string {
  const moved = sumSteps(steps, root.sum.length, () => 1)
  const sum = root.sum.map((component, index) => component + (moved[index] ?? 0))
  // A mean points in the same direction as its sum, and only the direction is used.
  const old = directionOf(root.sum)
  return encodeVector(
    directionOf(sum).map((component, index) => component - (old[index] ?? 0)),
    0,
  )
}
