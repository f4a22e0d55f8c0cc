/** What is known about the measuring machine. */
export interface RunnerFacts {
  /** The hosted image and its version. */
  readonly image?: string | undefined
  /** The requested runner label, from GitHub's own records. */
  readonly label?: string | undefined
}
