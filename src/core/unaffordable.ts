import { findExhausted } from './budget.ts'
import type { CampaignState } from './campaign.ts'
import { supersedeOpen } from './epoch.ts'
import { accountOf } from './stop-rules.ts'

/**
 * Closes candidates that were planned but not begun and that a smaller budget no longer allows, the newest first.
 * What runs already has been paid for. Only where runs are known: elsewhere the plan is part of the result.
 */
export function closeUnaffordable(before: CampaignState): CampaignState {
  if (before.campaign.order === 'ordinal') return before
  let state = before
  const waiting = [...before.jobs.values()]
    .filter(({ kind, run, result }) => kind === 'candidate' && run === undefined && result === undefined)
    .sort((a, b) => b.ordinal - a.ordinal)
  for (const { ordinal } of waiting) {
    if (!isOverdrawn(state)) break
    state = supersedeOpen(state, (job) => job.ordinal === ordinal)
  }
  return state
}

// Whether what is planned could cost more than there is: as if the last of them were still to be decided on.
function isOverdrawn(state: CampaignState): boolean {
  const { candidates, inFlight, ...account } = accountOf(state)
  const limits = { ...state.config.limits, wallClockMinutes: undefined }
  return (
    findExhausted(limits, { ...account, candidates: candidates - 1, inFlight: inFlight - 1 }) !== undefined
  )
}
