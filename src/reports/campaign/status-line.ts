import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { StopReason } from '../../core/campaign/status.ts'
import { cleanText } from '../../core/clean-text.ts'
import { inlineText } from '../plain-markdown.ts'

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

const DETAIL_CHARACTERS = 600

/**
 * Where a campaign stands and why, in one sentence of Markdown. What a pause is for may be an agent's own words, and
 * this line stands in comments whose boxes we obey.
 */
export function renderStatus(state: CampaignState): string {
  return sayStatus(state, (detail) => inlineText(detail, DETAIL_CHARACTERS))
}

/** The same for the terminal. */
export function renderPlainStatus(state: CampaignState): string {
  return sayStatus(state, (detail) => cleanText(detail, DETAIL_CHARACTERS).replaceAll(/\s+/g, ' '))
}

function sayStatus({ campaign, config }: CampaignState, show: (detail: string) => string): string {
  const { status, finished, stopping } = campaign
  const done = `${finished} of ${config.limits.candidates} candidates`
  switch (status.phase) {
    case 'paused':
      return `Paused after ${done}: ${status.reason}, ${show(status.detail.replace(/\.$/, ''))}.`
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
  const { epoch, renewing, space } = campaign
  const elites = `${renewing.length} ${renewing.length === 1 ? 'elite' : 'elites'}`
  const what = space?.since === epoch ? 'What describes candidates' : 'What measures'
  return `${what} has changed: epoch ${epoch} begins. The root and ${elites} are measured again before they compete; older figures stay in the ledger, but nothing is compared with them.`
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
