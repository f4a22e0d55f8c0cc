import { encodeVector } from '../core/embedding.ts'
import { countLeftOut, type LeftOut, type LeftOutReason } from '../core/left-out.ts'
import type { TreeFile } from '../git/listing.ts'
import type { PathRule } from './eligible.ts'
import type { Embedded } from './embedder.ts'
import type { FileVector, FileVectors } from './file-vectors.ts'
import { addTo, directionOf } from './vectors.ts'

/** The sum over all files of a tree, from which every candidate's mean follows by its changes alone. */
export interface TreeSum {
  readonly sum: Float64Array
  readonly files: number
  readonly leftOut: LeftOut
  readonly usage: Embedded['usage']
}

// Few enough to hold the texts in memory, enough for an embedder's batches.
const GROUP = 64

/** Embeds a whole tree, in groups: neither all texts nor all vectors are in memory at once. */
export async function embedTree(
  files: readonly TreeFile[],
  rule: PathRule,
  vectors: FileVectors,
): Promise<TreeSum> {
  const sum = new Float64Array(vectors.embedder.dimensions)
  const leftOut: LeftOutReason[] = []
  const usage = { tokens: 0, dollars: 0 }
  for (let start = 0; start < files.length; start += GROUP) {
    const group = files.slice(start, start + GROUP)
    const reasons = group.map(({ path, mode }) => rule(path, mode))
    const embedded = await vectors.embed(group.filter((_, index) => reasons[index] === undefined))
    for (const file of embedded.files) addTo(sum, file, 1)
    usage.tokens += embedded.usage.tokens
    usage.dollars += embedded.usage.dollars
    leftOut.push(...reasons.filter((reason) => reason !== undefined))
    leftOut.push(...embedded.files.flatMap((file) => (file.status === 'left-out' ? file.reason : [])))
  }
  return { sum, files: files.length - leftOut.length, leftOut: countLeftOut(leftOut), usage }
}

/** A path's file before and after, as embedded; undefined where there is none. */
export interface FileStep {
  readonly path: string
  readonly before: FileVector | undefined
  readonly after: FileVector | undefined
}

/**
 * The mean over the whole repository, as its difference from the root's: the same for a projection, which
 * subtracts a mean anyhow, and not rounded away when one file of thousands changes.
 */
export function encodeRepoState(steps: readonly FileStep[], root: TreeSum): string {
  const sum = Float64Array.from(root.sum)
  for (const { before, after } of steps) {
    addTo(sum, after, 1)
    addTo(sum, before, -1)
  }
  // Means point where sums point: their length is not used.
  const old = directionOf(root.sum)
  return encodeVector(
    directionOf(sum).map((component, index) => component - (old[index] ?? 0)),
    0,
  )
}
