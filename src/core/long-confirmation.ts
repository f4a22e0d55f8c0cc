/** The limit of the job that measures in our workflow templates, less what checkouts and set-up may take. */
const JOB_MINUTES = 55

/** What tells how long the longest measurement of a campaign takes. */
export interface ConfirmationFacts {
  /** How long one run of the command takes. */
  readonly runMs: number
  readonly maxPairs: number
  readonly hasHeldOut: boolean
}

/** Why a confirmation may be cut off, in words; undefined when it fits. It takes all pairs, of two runs each. */
export function explainLongConfirmation({
  runMs,
  maxPairs,
  hasHeldOut,
}: ConfirmationFacts): string | undefined {
  const runs = 2 * maxPairs * (hasHeldOut ? 2 : 1)
  const minutes = Math.ceil((runs * runMs) / 60_000)
  if (minutes <= JOB_MINUTES) return undefined
  return `a confirmation takes ${runs} runs, about ${minutes} minutes, and the workflow's template ends the job after 60: raise timeout-minutes of evaluate in the workflow, or lower evaluation.sampling.max_pairs`
}
