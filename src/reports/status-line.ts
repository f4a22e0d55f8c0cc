import type { CampaignState, StopReason } from '../core/campaign.ts'

const WHY: Readonly<Record<StopReason, string>> = {
  'budget-candidates': 'all candidates of the budget are spent',
  'budget-wall-clock': 'the time of the budget is spent',
  'budget-tokens': 'the tokens of the budget are spent',
  'budget-dollars': 'the money of the budget is spent',
  'budget-runner-minutes': 'the runner minutes of the budget are spent',
  'target-reached': 'the target was reached',
  plateau: 'the best has not become better for a while',
  stopped: 'it was told to stop',
  'dry-run': 'it was a dry run: the baseline is measured, nothing else was to be done',
}

/** Where a campaign stands and why, in one sentence. */
export function renderStatus({ campaign, config }: CampaignState): string {
  const { status, finished, stopping } = campaign
  const done = `${finished} of ${config.limits.candidates} candidates`
  switch (status.phase) {
    case 'paused':
      return `Paused after ${done}: ${status.reason}, ${status.detail}.`
    case 'finished':
      return `Finished after ${finished} candidates: ${WHY[status.reason]}.`
    case 'baseline':
      return campaign.epoch === 1
        ? 'Measuring the baseline.'
        : `Measuring the baseline of epoch ${campaign.epoch}.`
    default:
      return stopping === undefined
        ? `${capitalise(status.phase)}: ${done}.`
        : `Finishing what is in flight: ${WHY[stopping]}.`
  }
}

/** What a new epoch means, for the person whose edit began it. */
export function renderEpoch({ campaign }: CampaignState): string {
  const { epoch, renewing } = campaign
  const elites = `${renewing.length} ${renewing.length === 1 ? 'elite' : 'elites'}`
  return `What measures has changed: epoch ${epoch} begins. The root and ${elites} are measured again before they compete; older figures stay in the ledger, but nothing is compared with them.`
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
