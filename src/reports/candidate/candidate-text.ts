import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { candidateId, paddedOrdinal } from '../../core/candidate/candidate-id.ts'
import { readValue, relativeGain } from '../../core/measuring/objective.ts'
import type { Verdict } from '../../core/measuring/verdict.ts'
import { alignColumns } from '../campaign/campaign-text.ts'
import { renderCount, renderGain, renderNumber } from '../numbers.ts'
import { renderIsolation } from './isolation-text.ts'
import { renderRuns } from './runs-text.ts'

/** A candidate with its ancestors and its later measurements. */
export interface CandidateHistory {
  readonly entry: LedgerEntry
  /** The candidate and its ancestors, newest first. */
  readonly lineage: readonly LedgerEntry[]
  /** Its later measurements, oldest first. */
  readonly again: readonly LedgerEntry[]
  readonly plan?: string | undefined
  readonly runUrl?: string | undefined
}

/** One candidate for the terminal: verdict, metrics, runs, later measurements, lineage. */
export function renderCandidate(
  state: CampaignState,
  { entry, lineage, again }: Pick<CandidateHistory, 'entry' | 'lineage' | 'again'>,
): string {
  const { campaign } = state
  const facts = [
    ['verdict', renderVerdict(entry.verdict)],
    ['made by', [entry.operator, entry.lens && `through the lens ${entry.lens}`].filter(Boolean).join(' ')],
    ['inspired by', entry.inspirations.map(paddedOrdinal).join(', ') || 'none'],
    ['commit', entry.commit ?? 'none: only measured candidates have one'],
    ['tree', entry.tree ?? 'none'],
    ['change', entry.change ? renderChange(entry.change) : 'not measured'],
    ['isolation', entry.isolation ? renderIsolation(entry.isolation) : 'unknown'],
    ['runner', `${(entry.usage.runnerMs / 1000).toFixed(1)} s`],
  ]
  const title = `${candidateId(campaign.id, entry.ordinal)}: ${entry.summary ?? ''}`
  return [
    title,
    ...alignColumns(facts),
    '',
    ...renderMetrics(state, entry),
    ...renderRuns(state, entry),
    ...again.flatMap((later) => renderLater(state, later)),
    'lineage',
    ...renderLineage(state, lineage),
    '',
  ].join('\n')
}

/** A candidate's verdict and its reason, in one line. */
export function renderVerdict(verdict: Verdict): string {
  if (verdict.status === 'admitted') return renderAdmission(verdict)
  if (verdict.status !== 'refused') return renderAgain(verdict)
  switch (verdict.reason) {
    case 'not-better':
      return `Not kept: no better than ${paddedOrdinal(verdict.holder)} (niche ${verdict.cell})`
    case 'tie':
      return `Not kept: equal to ${paddedOrdinal(verdict.holder)} (niche ${verdict.cell})`
    case 'close-call':
      return `Not kept: ahead of ${paddedOrdinal(verdict.holder)}, but within the noise (niche ${verdict.cell})`
    case 'crowded':
      return `Not kept: too similar to the trade-offs beside ${paddedOrdinal(verdict.holder)} (niche ${verdict.cell})`
    case 'superseded':
      return 'Not kept: the evaluation or the budget changed before it finished'
    case 'duplicate':
      return `Not kept: same files as ${paddedOrdinal(verdict.of)}`
    default:
      return `Refused: ${verdict.reason}: ${verdict.detail}`
  }
}

function renderAdmission(verdict: Verdict & { status: 'admitted' }): string {
  switch (verdict.as) {
    case 'new-cell':
      return `Kept: first of its kind (niche ${verdict.cell})`
    case 'improved':
      return `Kept: best of its kind, replaces ${[verdict.replaced, ...(verdict.also ?? [])].map(paddedOrdinal).join(', ')} (niche ${verdict.cell})`
    case 'joined':
      return `Kept: another trade-off${verdict.dropped === undefined ? '' : `, replaces ${paddedOrdinal(verdict.dropped)}`} (niche ${verdict.cell})`
  }
}

function renderAgain(verdict: Extract<Verdict, { status: 'confirmed' | 'overfitted' | 'duelled' }>): string {
  const candidate = paddedOrdinal(verdict.of)
  if (verdict.status === 'confirmed') return `Confirmed: ${candidate} was measured again`
  if (verdict.status === 'overfitted')
    return `Overfitted: the gain of ${candidate} does not hold on the held-out inputs`
  const rival = paddedOrdinal(verdict.rival)
  return verdict.won
    ? `Duel won: ${candidate} beats ${rival}, interleaved on one machine`
    : `Duel lost: ${candidate} does not beat ${rival}, interleaved on one machine`
}

/** The lineage, newest first: the gain of each step over the baseline, and its summary. */
function renderLineage({ campaign, config }: CampaignState, lineage: readonly LedgerEntry[]): string[] {
  const rows = lineage.map((entry) => {
    const read = readValue(entry.metrics ?? {}, config.objectives)
    const gain =
      read.status === 'valid' && campaign.baseline
        ? relativeGain(read.value, campaign.baseline.value, config.objectives)
        : undefined
    const value = read.status === 'valid' ? read.value.map(renderNumber).join(' ') : 'no value'
    return [paddedOrdinal(entry.ordinal), value, renderGain(gain), entry.operator, entry.summary ?? '']
  })
  return alignColumns(rows)
}

function renderMetrics({ campaign }: CampaignState, { metrics }: LedgerEntry): string[] {
  if (metrics === undefined) return []
  const rows = Object.entries(metrics).map(([name, value]) => {
    const base = campaign.baseline?.metrics[name]
    return [name, renderNumber(value), base === undefined ? '' : `baseline ${renderNumber(base)}`]
  })
  return ['metrics', ...alignColumns(rows), '']
}

/** A later measurement, which replaces the earlier figures. */
function renderLater(state: CampaignState, later: LedgerEntry): string[] {
  const title = `${candidateId(state.campaign.id, later.ordinal)}: ${renderVerdict(later.verdict)}`
  const figures = later.verdict.status === 'duelled' ? [] : renderMetrics(state, later)
  const text = [...figures, ...renderRuns(state, later)]
  return [title, ...text.map((line) => (line === '' ? line : `  ${line}`))]
}

/** The size of a change. */
export function renderChange({
  files,
  linesAdded,
  linesRemoved,
}: NonNullable<LedgerEntry['change']>): string {
  return `${renderCount(files, 'file')}, +${linesAdded} −${linesRemoved} lines from the root`
}
