/** What a repository waits for after a reconcile. */
export interface Outlook {
  /** `commit`: results gathered for the next commit or report. `people`: any human act. */
  readonly waitsFor: readonly ('commit' | 'schedule' | 'runs' | 'people')[]
  /** When to reconcile next, in milliseconds since 1970. */
  readonly nextAt: number
}
