import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { StopReason } from '../../core/campaign/status.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { renderStatus } from '../campaign/status-line.ts'
import { renderCost, renderHeadline, renderLineageList } from '../candidate/candidate-figures.ts'
import { type CandidateHistory, renderVerdict } from '../candidate/candidate-text.ts'
import { inlineText } from '../plain-markdown.ts'

/** What `/loreley help` says. */
export const HELP = `Start a comment with \`/loreley\` and a command. You need write access.

| command | what it does |
|---|---|
| \`start\` | start or continue the campaign |
| \`pause\`, \`resume\`, \`stop\` | pause, continue or end it |
| \`status\` | show its status |
| \`promote <id>\` | confirm a candidate and open a draft pull request |
| \`discard <id>\` | never offer it or build on it again |
| \`retry <id>\` | measure it again, or repeat a failed one |
| \`explain <id>\` | show what it is, its origin and its verdict |
| \`ci <pull request>\` | let CI run on one of our pull requests |
| \`budget <candidates, dollars, tokens, runner_minutes, parallel> <n>\` | change a limit |
| \`help\` | show this list |`

/** The status of a campaign in one line. */
export function replyStatus(state: CampaignState): string {
  return `${state.campaign.id}: ${renderStatus(state)}`
}

const OVER = 'To start another campaign, label another issue.'

/** What an ended campaign needs to continue, if it can. */
const MORE: Readonly<Record<StopReason, string>> = {
  'budget-candidates': 'Raise it with `/loreley budget candidates <n>`.',
  'budget-wall-clock': 'Raise `limits.wall_clock_minutes`.',
  'budget-tokens': 'Raise it with `/loreley budget tokens <n>`.',
  'budget-dollars': 'Raise it with `/loreley budget dollars <n>`.',
  'budget-runner-minutes': 'Raise it with `/loreley budget runner_minutes <n>`.',
  'target-reached': OVER,
  plateau: OVER,
  stopped: OVER,
  'dry-run': 'Remove `limits.dry_run` from the config.',
}

/** Why a campaign has ended, and how to continue it. */
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
