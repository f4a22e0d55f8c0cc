import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { StopReason } from '../../core/campaign/status.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { renderStatus } from '../campaign/status-line.ts'
import { renderCost, renderHeadline, renderLineageList } from '../candidate/candidate-figures.ts'
import { type CandidateHistory, renderVerdict } from '../candidate/candidate-text.ts'
import { inlineText } from '../plain-markdown.ts'

/** What `/loreley help` says. */
export const HELP = `\`/loreley\` as the first word of a comment, by somebody who may write here:

| command | what it does |
|---|---|
| \`start\` | begin, or go on |
| \`pause\`, \`resume\`, \`stop\` | hold it up, go on, end it |
| \`status\` | where it stands |
| \`promote <id>\` | confirm a candidate and open a draft pull request |
| \`discard <id>\` | never offer or breed from it again |
| \`retry <id>\` | measure it again, or try a failed one again |
| \`explain <id>\` | what it is, where it comes from, why it was judged so |
| \`ci <pull request>\` | let CI run on a pull request of ours |
| \`budget <candidates, dollars, tokens, runner_minutes, parallel> <n>\` | change a limit |
| \`help\` | this list |`

/** One line on where a campaign stands. */
export function replyStatus(state: CampaignState): string {
  return `${state.campaign.id}: ${renderStatus(state)}`
}

const OVER = 'It stays so: put the label on another issue for another campaign.'

/** What an ended campaign needs to go on, if anything helps. */
const MORE: Readonly<Record<StopReason, string>> = {
  'budget-candidates': 'Give it more with `/loreley budget candidates <n>`.',
  'budget-wall-clock': 'Raise `limits.wall_clock_minutes`.',
  'budget-tokens': 'Give it more with `/loreley budget tokens <n>`.',
  'budget-dollars': 'Give it more with `/loreley budget dollars <n>`.',
  'budget-runner-minutes': 'Give it more with `/loreley budget runner_minutes <n>`.',
  'target-reached': OVER,
  plateau: OVER,
  stopped: OVER,
  'dry-run': 'Take `limits.dry_run` out of the config.',
}

/** Why a campaign does not go on, and what would make it. */
export function replyEnded(state: CampaignState, end: StopReason): string {
  return `${replyStatus(state)} ${MORE[end]}`
}

/** A candidate in a few lines. */
export function replyExplain(state: CampaignState, { entry, lineage }: CandidateHistory): string {
  return [
    `**${candidateId(state.campaign.id, entry.ordinal)}**, ${renderHeadline(state, entry.metrics)}. ${inlineText(renderVerdict(entry.verdict), 500).replace(/\.$/, '')}. Cost: ${renderCost(entry)}.`,
    '',
    ...renderLineageList(state, lineage),
  ].join('\n')
}
