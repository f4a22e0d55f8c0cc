/** Where something was measured, as far as it is known. */
export interface RunnerFacts {
  /** The hosted image and its version. */
  readonly image?: string | undefined
  /** What the workflow asked for, as GitHub's own records say. */
  readonly label?: string | undefined
}
