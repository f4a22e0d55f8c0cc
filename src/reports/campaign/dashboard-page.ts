import { nicheName } from '../../core/archive/archive.ts'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { Job } from '../../core/campaign/job.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { isDisqualifying, standsOut } from '../../core/measuring/figures.ts'
import { findFailure } from '../../core/measuring/verdict.ts'
import { renderHeldOut, renderNoise, renderOverfitted } from '../candidate/measurement-text.ts'
import { renderGain, renderNumber } from '../numbers.ts'
import { fitBody, inlineText } from '../plain-markdown.ts'
import { rankElites, renderLeaderboard, renderTrust } from './leaderboard.ts'
import { renderLeftOut } from './left-out.ts'
import { FAILURE_REMEDIES, PAUSE_REMEDIES } from './remedies.ts'
import { renderStatus } from './status-line.ts'

/** Where a page stands, and so how it shows pictures and whether it can be ticked. */
export interface DashboardTarget {
  /** Comes before `archive.svg` and `progress.svg`. */
  readonly imageBase: string
  readonly imageSuffix: string
  /** Undefined where nobody can click: on the state branch. */
  readonly boxes?: readonly Box[] | undefined
  readonly runUrl?: ((run: number) => string) | undefined
  readonly commitUrl?: ((commit: string) => string) | undefined
  /** Why elites stand elsewhere than people expect. */
  readonly eliteNote?: string | undefined
}

/** A checkbox that people may tick; its marker tells it apart. */
export interface Box {
  readonly marker: string
  readonly text: string
}

const RECENT = 8

/** A campaign's page: where it stands and why, what it found, what it costs, how to steer it. */
export function renderDashboard(state: CampaignState, place: DashboardTarget): string {
  const { campaign } = state
  const sections = [
    [`## Loreley: ${campaign.id}`, '', `**${renderStatus(state)}**`, ...renderRemedy(state)],
    renderBest(state, place),
    renderLeaderboard(state, place),
    renderRunning(state, place),
    renderPulls(state),
    renderFitted(state),
    ['### Budget', '', ...renderBudget(state)],
    renderTrouble(state),
    renderUnseen(state),
    renderFailed(state),
    renderBoxes(place),
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
  const none = status.phase === 'finished' ? ': nothing stands out from it' : ', so far'
  return [
    `Baseline: ${renderValues(state, baseline.value)}. ${renderNoise(state)}  `,
    best === undefined || best.elite.ordinal === 0
      ? `Best: the baseline itself${none}`
      : `Best: ${renderValues(state, best.elite.value)}, **${renderGain(best.gain)}** by ${candidateId(state.campaign.id, best.elite.ordinal)}${renderTrust(state, best.elite)}`,
    '',
    `![The archive](${imageBase}archive.svg${imageSuffix})`,
    '',
    `![Progress](${imageBase}progress.svg${imageSuffix})`,
  ]
}

/** Work that was fitted to its inputs: people should know that the campaign saw through it. */
function renderFitted(state: CampaignState): string[] {
  const lines = renderOverfitted(state)
  return lines.length === 0 ? [] : ['### Fitted to the shown inputs', '', ...lines.slice(-RECENT)]
}

function renderValues({ config }: CampaignState, value: readonly number[]): string {
  return config.objectives
    .map(({ metric }, index) => `${metric} ${renderNumber(value[index] ?? Number.NaN)}`)
    .join(', ')
}

function renderUnseen(state: CampaignState): string[] {
  const lines = renderLeftOut(state)
  if (lines.length === 0) return []
  return ['### Left out of the niches', '', ...lines.map((line) => `- ${line}`)]
}

function renderRunning({ campaign, jobs }: CampaignState, { runUrl }: DashboardTarget): string[] {
  const open = [...jobs.values()].filter(({ result }) => result === undefined)
  if (open.length === 0) return []
  const describe = ({ ordinal, kind, operator, parent, run, purpose }: Job): string => {
    const what =
      kind === 'candidate'
        ? `${operator} of ${parent.ordinal}`
        : kind === 'baseline'
          ? kind
          : `${purpose ?? 'confirm'}, ${parent.ordinal} again`
    const where =
      run === undefined ? 'waiting' : runUrl === undefined ? 'running' : `[running](${runUrl(run)})`
    return `- ${candidateId(campaign.id, ordinal)}: ${what}, ${where}`
  }
  return ['### Under way', '', ...open.slice(0, 20).map(describe)]
}

function renderPulls({ campaign }: CampaignState): string[] {
  const { pulls } = campaign.control
  if (pulls.length === 0) return []
  const rows = pulls.map(({ candidate, number, status, askedBy, detail, confirmation }) => {
    const by = askedBy === undefined ? '' : `, asked for by ${inlineText(askedBy, 40)}`
    const why = detail === undefined ? '' : `: ${inlineText(detail, 300)}`
    const place = number === undefined ? '' : ` as #${number}`
    const left = renderHeldOut(confirmation?.heldOut).map((line) => `. ${line}`)
    return `- ${candidateId(campaign.id, candidate.ordinal)}${place}, ${status}${by}${why}${left}`
  })
  return ['### Pull requests', '', ...rows.slice(-20)]
}

/** What a person should look after. */
function renderTrouble(state: CampaignState): string[] {
  const failed = findFailed(state)
  const ours = failed.filter(({ reason }) => reason === 'infrastructure').map(({ entry }) => entry)
  const reasons = [...new Set(failed.map(({ reason }) => reason))]
  const lines = [
    ...renderUnpublished(state),
    ...ours.slice(-RECENT).map((entry) => renderFailure(state.campaign.id, entry)),
    ...reasons.flatMap((reason) => FAILURE_REMEDIES[reason] ?? []).map((remedy) => `- ${remedy}`),
  ]
  return lines.length === 0 ? [] : ['### Trouble', '', ...lines]
}

const REFS = 5

function renderUnpublished({ campaign }: CampaignState): string[] {
  const refs = campaign.control.unpublished ?? []
  const lines = refs
    .slice(0, REFS)
    .map(({ ref, reason, detail }) => `- \`${ref}\` is not published (${reason}): ${inlineText(detail, 200)}`)
  return refs.length <= REFS ? lines : [...lines, `- … and ${refs.length - REFS} more refs`]
}

/** Candidates that did not work: part of every search, and nobody's task. */
function renderFailed(state: CampaignState): string[] {
  const failed = findFailed(state).filter(({ reason }) => reason !== 'infrastructure')
  if (failed.length === 0) return []
  const latest = failed.slice(-RECENT).map(({ entry }) => renderFailure(state.campaign.id, entry))
  return ['<details><summary>Candidates that failed lately</summary>', '', ...latest, '', '</details>']
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
  const lost = isDisqualifying(entry) ? ', so that it holds no niche' : ''
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
    'Writers may tick a box, or comment `/loreley help`.',
  ]
}

const OFFERED = 3

/** The boxes that make sense now. */
export function boxesFor(state: CampaignState): readonly Box[] {
  const { campaign } = state
  const { phase } = campaign.status
  const resumable = phase === 'paused' || (phase === 'finished' && campaign.baseline !== undefined)
  const unheard = rankElites(state).filter(
    ({ elite }) =>
      elite.ordinal !== 0 &&
      standsOut(state, elite) &&
      !campaign.control.pulls.some((pull) => pull.candidate.ordinal === elite.ordinal),
  )
  // The best of each niche: people choose between kinds of solutions, not between look-alikes.
  const niches = new Map(unheard.toReversed().map((standing) => [nicheName(standing), standing]))
  const offered = unheard.filter((standing) => niches.get(nicheName(standing)) === standing)
  const failed = state.ledger.tail.some(({ verdict }) => findFailure(verdict) === 'infrastructure')
  return [
    ...(phase === 'paused' || phase === 'finished' ? [] : [{ marker: 'pause', text: 'Pause' }]),
    ...(resumable ? [{ marker: 'resume', text: 'Resume' }] : []),
    ...offered.slice(0, OFFERED).map((standing) => ({
      marker: `promote=${standing.elite.ordinal}`,
      text: `Promote ${candidateId(campaign.id, standing.elite.ordinal)} (niche ${nicheName(standing)}, ${renderGain(standing.gain)})`,
    })),
    ...(failed ? [{ marker: 'retry', text: 'Retry what the machinery failed' }] : []),
  ]
}

const TICKED = /^- \[x\] <!-- loreley:([a-z0-9=-]{1,40}) -->/gim

/** The markers of all ticked boxes of a comment. */
export function findTicked(body: string): readonly string[] {
  return [...body.matchAll(TICKED)].map(([, marker = '']) => marker)
}

/** The same text with no box ticked. */
export function clearTicks(body: string): string {
  return body.replaceAll(TICKED, '- [ ] <!-- loreley:$1 -->')
}

const MINUTE_MS = 60_000

/** What was spent of each budget, and what the campaign will have spent when all its candidates are done. */
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
    row('under way', jobs.size, undefined, ''),
    row('runner minutes', minutes, limits.runnerMinutes, forecast(minutes)),
    ...(used.tokens > 0 ? [row('tokens', used.tokens, limits.tokens, forecast(used.tokens))] : []),
    ...(used.dollars > 0 ? [row('dollars', used.dollars, limits.dollars, forecast(used.dollars))] : []),
  ]
}
