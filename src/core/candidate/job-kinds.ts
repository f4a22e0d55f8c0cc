/** What a job does: measure the root, make and measure a candidate, or measure a candidate again. */
export const JOB_KINDS = ['baseline', 'candidate', 'confirm'] as const
export type JobKind = (typeof JOB_KINDS)[number]

/**
 * Why a candidate is measured again, unless somebody asked: it became the best, it has many children, the campaign ends
 * with it, a new epoch began, or it came close to the holder of its cell.
 */
export const CONFIRM_PURPOSES = ['best', 'steering', 'final', 'epoch', 'duel'] as const
export type ConfirmPurpose = (typeof CONFIRM_PURPOSES)[number]
