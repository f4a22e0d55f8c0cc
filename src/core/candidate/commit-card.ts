/** How much of one file a candidate changed, compared with its parent. */
export interface FileChurn {
  readonly path: string
  readonly linesAdded: number
  readonly linesRemoved: number
}

/** What a candidate changed, computed from its diff alone, without model text. */
export interface CommitCard {
  readonly files: number
  /** The files that changed most, most first. */
  readonly highlights: readonly FileChurn[]
}

const MAX_HIGHLIGHTS = 8

/** Creates the card of a change. Ties sort by path. */
export function createCommitCard(files: readonly FileChurn[]): CommitCard {
  const churn = ({ linesAdded, linesRemoved }: FileChurn): number => linesAdded + linesRemoved
  const sorted = files.toSorted((a, b) => churn(b) - churn(a) || (a.path < b.path ? -1 : 1))
  return { files: files.length, highlights: sorted.slice(0, MAX_HIGHLIGHTS) }
}
