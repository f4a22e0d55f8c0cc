import type { LeftOutReason } from './eligible.ts'
import type { FileVector } from './file-vectors.ts'

/** How many files were left out, by reason. */
export type LeftOut = Readonly<Partial<Record<LeftOutReason, number>>>

export function countLeftOut(files: readonly (FileVector | undefined)[]): LeftOut {
  const counts: Partial<Record<LeftOutReason, number>> = {}
  for (const file of files) {
    if (file?.status === 'left-out') counts[file.reason] = (counts[file.reason] ?? 0) + 1
  }
  return counts
}
