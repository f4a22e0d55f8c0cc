/** How much of one file a candidate changed, compared with its parent. */
export interface FileChurn {
  readonly path: string
  readonly linesAdded: number
  readonly linesRemoved: number
}

/** What a candidate changed, made from its diff alone: no model's word is in it. */
export interface CommitCard {
  readonly files: number
  /** The files that changed most, most first. */
  readonly highlights: readonly FileChurn[]
}

const MAX_HIGHLIGHTS = 8

/** The card of a change. Ties are in the order of paths. */
export function createCommitCard(files: readonly FileChurn[]): CommitCard {
  const churn = ({ linesAdded, linesRemoved }: FileChurn): number => linesAdded + linesRemoved
  const sorted = files.toSorted((a, b) => churn(b) - churn(a) || (a.path < b.path ? -1 : 1))
  return { files: files.length, highlights: sorted.slice(0, MAX_HIGHLIGHTS) }
}
