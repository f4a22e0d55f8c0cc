import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { StopReason } from '../../core/campaign/status.ts'
import { cleanText } from '../../core/clean-text.ts'
import { renderCount } from '../numbers.ts'
import { inlineText } from '../plain-markdown.ts'

const WHY: Readonly<Record<StopReason, string>> = {
  'budget-candidates': 'the candidate budget is used up',
  'budget-wall-clock': 'the time limit is reached',
  'budget-tokens': 'the token budget is used up',
  'budget-dollars': 'the dollar budget is used up',
  'budget-runner-minutes': 'the runner-minute budget is used up',
  'target-reached': 'the target was reached',
  plateau: 'the best candidate has not improved for a while',
  stopped: 'it was stopped',
  'dry-run': 'it was a dry run, which measures only the baseline',
}

const DETAIL_CHARACTERS = 600

/**
 * The status of a campaign in one sentence of Markdown. The reason for a pause may quote an agent, and this line appears
 * in comments whose checkboxes we obey.
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
      return `Paused after ${done} (${status.reason}): ${show(status.detail.replace(/\.$/, ''))}.`
    case 'finished':
      return `Finished after ${renderCount(finished, 'candidate')}: ${WHY[status.reason]}.`
    case 'baseline':
      return campaign.epoch === 1
        ? 'Measuring the baseline.'
        : `Measuring the baseline of epoch ${campaign.epoch}.`
    default:
      return stopping === undefined
        ? `${capitalise(status.phase)}: ${done}.`
        : `Finishing the candidates in flight: ${WHY[stopping]}.`
  }
}

/** What a new epoch means, for the person whose edit started it. */
export function renderEpoch({ campaign }: CampaignState): string {
  const { epoch, renewing, space } = campaign
  const what = space?.since === epoch ? 'The way candidates are described' : 'The evaluation'
  return `${what} has changed, so epoch ${epoch} starts. The root and ${renderCount(renewing.length, 'elite')} are measured again before they compete. Older figures stay in the ledger, but nothing is compared with them.`
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
