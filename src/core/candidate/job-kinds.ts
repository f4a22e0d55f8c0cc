/** What a job does: measure the root, make and measure a candidate, or measure one once more. */
export const JOB_KINDS = ['baseline', 'candidate', 'confirm'] as const
export type JobKind = (typeof JOB_KINDS)[number]

/**
 * Why a candidate is measured once more, unless somebody asked for it: it became the best, it steers much, it is what
 * the campaign ends with, a new epoch began, or it came close to the holder of its cell.
 */
export const CONFIRM_PURPOSES = ['best', 'steering', 'final', 'epoch', 'duel'] as const
export type ConfirmPurpose = (typeof CONFIRM_PURPOSES)[number]
