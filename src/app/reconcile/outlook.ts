/** What a repository waits for once all that was due is done. */
export interface Outlook {
  /** `commit` is what was learned and is gathered for one commit or report, `people` is whatever they may do. */
  readonly waitsFor: readonly ('commit' | 'schedule' | 'runs' | 'people')[]
  /** When to reconcile next, in milliseconds since 1970. */
  readonly nextAt: number
}
