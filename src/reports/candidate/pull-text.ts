import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { Pull } from '../../core/campaign/control.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { fitBody, inlineText } from '../plain-markdown.ts'
import { renderCost, renderHeadline, renderLineageList, renderMetricTable } from './candidate-figures.ts'
import { type CandidateHistory, renderChange } from './candidate-text.ts'
import { renderConfirmation, renderNoise } from './measurement-text.ts'

/** What a pull request says about its candidate. */
export interface PullHistory extends CandidateHistory {
  /** The command that measures. */
  readonly command: string
  /** CI waits until a writer releases it. */
  readonly ciHeld: boolean
}

export interface PullText {
  readonly title: string
  readonly body: string
}

/** The text of a pull request, for the person who reviews it. */
export function renderPull(state: CampaignState, pull: Pull, history: PullHistory): PullText {
  const { campaign } = state
  const { entry, lineage } = history
  const id = candidateId(campaign.id, pull.candidate.ordinal)
  const measured = pull.confirmation?.metrics ?? entry.metrics
  const issue = campaign.control.direction?.issue
  const body = [
    `<!-- loreley:pull campaign=${campaign.id} candidate=${pull.candidate.ordinal} -->`,
    `A machine wrote this change and nobody has read it yet. Please review it like a stranger's.`,
    '',
    '### What changed',
    '',
    ...(entry.change === undefined ? [] : [`${renderChange(entry.change)}, in ${renderSteps(lineage)}.`, '']),
    `The agent's summary of the last step: ${inlineText(entry.summary || 'none', 1000)}`,
    '',
    '### Metrics',
    '',
    ...renderMetricTable(state, entry.metrics, pull.confirmation?.metrics),
    '',
    ...renderConfirmation(state, pull.confirmation),
    renderNoise(state),
    'The confirmed figures come from a separate run after the candidate was chosen.',
    '',
    '### Origin',
    '',
    `Campaign ${campaign.id}${issue === undefined ? '' : `, started by issue #${issue}`}; this candidate cost ${renderCost(entry)}.`,
    '',
    ...renderLineageList(state, lineage),
    '',
    '### Reproduce',
    '',
    '```sh',
    `git fetch origin refs/loreley/keep/${campaign.id}/${id.slice(campaign.id.length + 1)} && git checkout FETCH_HEAD`,
    ...(history.command.includes('LORELEY_TRUSTED') ? ['export LORELEY_TRUSTED="$PWD"'] : []),
    history.command.replaceAll(/[\r\n`]/g, ' '),
    '```',
    '',
    ...(history.ciHeld ? HELD : []),
  ]
  return {
    title: `Loreley ${id}: ${renderHeadline(state, measured)}`.slice(0, 250),
    body: fitBody(body.join('\n')),
  }
}

// The root ends every lineage and is not a step.
function renderSteps({ length }: PullHistory['lineage']): string {
  return length <= 2 ? 'one step' : `${length - 1} steps, listed below`
}

const HELD = [
  '### CI',
  '',
  'CI has not run, because it would run unreviewed machine-written code with the secrets of this repository. Once you have read the diff, comment `/loreley ci` or tick this box:',
  '',
  '- [ ] <!-- loreley:ci --> Release CI',
]

/** The one comment on a pull request that we keep up to date. */
export function renderPullComment(state: CampaignState, pull: Pull, history: CandidateHistory): string {
  const id = candidateId(state.campaign.id, pull.candidate.ordinal)
  const later = history.again.filter(({ verdict }) => verdict.status !== 'duelled').at(-1)
  const { metrics, interval, heldOut } = later ?? {}
  const confirmation = metrics === undefined ? pull.confirmation : { metrics, interval, heldOut }
  return fitBody(
    [
      `${id}: ${renderHeadline(state, confirmation?.metrics ?? history.entry.metrics)}`,
      '',
      ...renderMetricTable(state, history.entry.metrics, confirmation?.metrics),
      '',
      ...renderConfirmation(state, confirmation),
      renderNoise(state),
    ].join('\n'),
  )
}
