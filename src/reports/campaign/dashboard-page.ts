import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { Job } from '../../core/campaign/job.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { candidateId, paddedOrdinal } from '../../core/candidate/candidate-id.ts'
import { isDisqualifying } from '../../core/measuring/figures.ts'
import { findFailure } from '../../core/measuring/verdict.ts'
import type { Operator } from '../../core/planning/operators.ts'
import { renderHeldOut, renderNoise, renderOverfitted } from '../candidate/measurement-text.ts'
import { renderGain, renderNumber } from '../numbers.ts'
import { fitBody, inlineText } from '../plain-markdown.ts'
import { renderArm } from './arm-text.ts'
import type { Box } from './checkboxes.ts'
import { rankElites, renderLeaderboard, renderTrust } from './leaderboard.ts'
import { renderLeftOut } from './left-out.ts'
import { FAILURE_REMEDIES, PAUSE_REMEDIES } from './remedies.ts'
import { renderStatus } from './status-line.ts'

/** Where a page is shown: this decides its image links and whether it has checkboxes. */
export interface DashboardTarget {
  /** The prefix of `archive.svg` and `progress.svg`. */
  readonly imageBase: string
  readonly imageSuffix: string
  /** Undefined on the state branch, where nobody can tick them. */
  readonly boxes?: readonly Box[] | undefined
  readonly runUrl?: ((run: number) => string) | undefined
  readonly commitUrl?: ((commit: string) => string) | undefined
  /** Why elites are not branches. */
  readonly eliteNote?: string | undefined
}

const RECENT = 8

/** A campaign's page: its status and why, what it found, what it costs, how to steer it. */
export function renderDashboard(state: CampaignState, target: DashboardTarget): string {
  const { campaign } = state
  const sections = [
    [`## Loreley: ${campaign.id}`, '', `**${renderStatus(state)}**`, ...renderRemedy(state)],
    renderBest(state, target),
    renderLeaderboard(state, target),
    renderRunning(state, target),
    renderPulls(state),
    renderFitted(state),
    ['### Budget', '', ...renderBudget(state)],
    renderTrouble(state),
    renderUnseen(state),
    renderFailed(state),
    renderBoxes(target),
    [`Root: \`${campaign.root.commit}\`, epoch ${campaign.epoch}`],
  ]
  const written = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
  return fitBody(`${written.join('\n\n')}\n`)
}

function renderRemedy({ campaign }: CampaignState): string[] {
  const { status } = campaign
  return status.phase === 'paused' ? ['', PAUSE_REMEDIES[status.reason]] : []
}

function renderBest(state: CampaignState, { imageBase, imageSuffix }: DashboardTarget): string[] {
  const { baseline, status } = state.campaign
  if (baseline === undefined) return []
  const [best] = rankElites(state)
  const none = status.phase === 'finished' ? ' (no candidate is clearly better)' : ' so far'
  return [
    `Baseline: ${renderValues(state, baseline.value)}. ${renderNoise(state)}  `,
    best === undefined || best.elite.ordinal === 0
      ? `Best: the baseline${none}`
      : `Best: ${renderValues(state, best.elite.value)}, **${renderGain(best.gain)}** by ${candidateId(state.campaign.id, best.elite.ordinal)}${renderTrust(state, best.elite)}`,
    ...renderArm(state).map((line) => `\n${line}.`),
    '',
    `![The archive](${imageBase}archive.svg${imageSuffix})`,
    '',
    `![Progress](${imageBase}progress.svg${imageSuffix})`,
  ]
}

/** Candidates that were fitted to their inputs: readers should know that the campaign noticed. */
function renderFitted(state: CampaignState): string[] {
  const lines = renderOverfitted(state)
  return lines.length === 0 ? [] : ['### Overfitted to the known inputs', '', ...lines.slice(-RECENT)]
}

function renderValues({ config }: CampaignState, value: readonly number[]): string {
  return config.objectives
    .map(({ metric }, index) => `${metric} ${renderNumber(value[index] ?? Number.NaN)}`)
    .join(', ')
}

function renderUnseen(state: CampaignState): string[] {
  const lines = renderLeftOut(state)
  if (lines.length === 0) return []
  return ['### Files the niches ignore', '', ...lines.map((line) => `- ${line}`)]
}

function renderRunning({ jobs }: CampaignState, { runUrl }: DashboardTarget): string[] {
  const open = [...jobs.values()].filter(({ result }) => result === undefined)
  if (open.length === 0) return []
  const describe = ({ ordinal, kind, operator, parent, run, purpose }: Job): string => {
    const what =
      kind === 'candidate'
        ? renderOperator(operator, parent.ordinal)
        : kind === 'baseline'
          ? 'baseline'
          : `${purpose ?? 'confirm'}, measures ${paddedOrdinal(parent.ordinal)} again`
    const where =
      run === undefined ? 'waiting' : runUrl === undefined ? 'running' : `[running](${runUrl(run)})`
    return `- ${paddedOrdinal(ordinal)}: ${what}, ${where}`
  }
  return ['### Running', '', ...open.slice(0, 20).map(describe)]
}

const OPERATOR_WORDS: Readonly<Partial<Record<Operator, string>>> = {
  fresh: 'new idea',
  mutate: 'variation',
  structural: 'restructuring',
}

function renderOperator(operator: Operator, parent: number): string {
  return `${OPERATOR_WORDS[operator] ?? operator} from ${parent === 0 ? 'main' : paddedOrdinal(parent)}`
}

function renderPulls({ campaign }: CampaignState): string[] {
  const { pulls } = campaign.control
  if (pulls.length === 0) return []
  const rows = pulls.map(({ candidate, number, status, askedBy, detail, confirmation }) => {
    const by = askedBy === undefined ? '' : `, requested by ${inlineText(askedBy, 40)}`
    const why = detail === undefined ? '' : `: ${inlineText(detail, 300)}`
    const as = number === undefined ? '' : ` as #${number}`
    const left = renderHeldOut(confirmation?.heldOut).map((line) => `. ${line}`)
    return `- ${candidateId(campaign.id, candidate.ordinal)}${as}, ${status}${by}${why}${left}`
  })
  return ['### Pull requests', '', ...rows.slice(-20)]
}

/** What needs a person's attention. */
function renderTrouble(state: CampaignState): string[] {
  const failed = findFailed(state)
  const ours = failed.filter(({ reason }) => reason === 'infrastructure').map(({ entry }) => entry)
  const reasons = [...new Set(failed.map(({ reason }) => reason))]
  const lines = [
    ...renderUnpublished(state),
    ...ours.slice(-RECENT).map((entry) => renderFailure(state.campaign.id, entry)),
    ...reasons.flatMap((reason) => FAILURE_REMEDIES[reason] ?? []).map((remedy) => `- ${remedy}`),
  ]
  return lines.length === 0 ? [] : ['### Problems', '', ...lines]
}

const REFS = 5

function renderUnpublished({ campaign }: CampaignState): string[] {
  const refs = campaign.control.unpublished ?? []
  const lines = refs
    .slice(0, REFS)
    .map(({ ref, reason, detail }) => `- \`${ref}\` is not published (${reason}): ${inlineText(detail, 200)}`)
  return refs.length <= REFS ? lines : [...lines, `- … and ${refs.length - REFS} more refs`]
}

/** Candidates that did not work: part of every search, nothing to act on. */
function renderFailed(state: CampaignState): string[] {
  const failed = findFailed(state).filter(({ reason }) => reason !== 'infrastructure')
  if (failed.length === 0) return []
  const latest = failed.slice(-RECENT).map(({ entry }) => renderFailure(state.campaign.id, entry))
  return ['<details><summary>Recent failed candidates</summary>', '', ...latest, '', '</details>']
}

function findFailed({ ledger }: CampaignState) {
  return ledger.tail.flatMap((entry) => {
    const reason = findFailure(entry.verdict)
    return reason === undefined ? [] : [{ entry, reason }]
  })
}

function renderFailure(campaign: string, entry: LedgerEntry): string {
  const { ordinal, verdict, kind, parent } = entry
  const detail = 'detail' in verdict ? verdict.detail : ''
  const reason = 'reason' in verdict ? verdict.reason : verdict.status
  const lost = isDisqualifying(entry) ? ', so it lost its niche' : ''
  const again = kind === 'confirm' ? ` (${candidateId(campaign, parent)} again${lost})` : ''
  return `- ${candidateId(campaign, ordinal)}${again} ${reason}: ${inlineText(detail, 200)}`
}

function renderBoxes({ boxes }: DashboardTarget): string[] {
  if (boxes === undefined || boxes.length === 0) return []
  return [
    '### Steer',
    '',
    ...boxes.map(({ marker, text }) => `- [ ] <!-- loreley:${marker} --> ${text}`),
    '',
    'If you have write access, tick a box or comment `/loreley help`.',
  ]
}

const MINUTE_MS = 60_000

/** What is spent of each budget, and the forecast for all candidates. */
function renderBudget({ campaign, config, jobs }: CampaignState): string[] {
  const { limits } = config
  const { used, finished } = campaign
  const ahead = finished === 0 ? undefined : limits.candidates / finished
  const forecast = (spent: number): string =>
    ahead === undefined ? '' : renderNumber(Number((spent * ahead).toPrecision(3)))
  const row = (name: string, spent: number, limit: number | undefined, expected: string): string =>
    `| ${name} | ${renderNumber(spent)} | ${limit === undefined ? 'none' : renderNumber(limit)} | ${expected} |`
  const minutes = Math.round((used.runnerMs / MINUTE_MS) * 10) / 10
  return [
    '| | spent | limit | forecast |',
    '|---|---|---|---|',
    row('candidates', finished, limits.candidates, `${limits.candidates}`),
    row('running', jobs.size, undefined, ''),
    row('runner minutes', minutes, limits.runnerMinutes, forecast(minutes)),
    ...(used.tokens > 0 ? [row('tokens', used.tokens, limits.tokens, forecast(used.tokens))] : []),
    ...(used.dollars > 0 ? [row('dollars', used.dollars, limits.dollars, forecast(used.dollars))] : []),
  ]
}
