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
      return 'Measuring the baseline.'
    default:
      return stopping === undefined
        ? `${capitalise(status.phase)}: ${done}.`
        : `Finishing what is in flight: ${WHY[stopping]}.`
  }
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
