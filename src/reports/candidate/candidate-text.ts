import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { candidateId, paddedOrdinal } from '../../core/candidate/candidate-id.ts'
import { readValue, relativeGain } from '../../core/measuring/objective.ts'
import type { Verdict } from '../../core/measuring/verdict.ts'
import { alignColumns } from '../campaign/campaign-text.ts'
import { renderGain, renderNumber } from '../numbers.ts'
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
    ['made by', [entry.operator, entry.lens && `with the lens ${entry.lens}`].filter(Boolean).join(' ')],
    ['inspired', entry.inspirations.join(', ') || 'by none'],
    ['commit', entry.commit ?? 'none: only measured candidates have one'],
    ['tree', entry.tree ?? 'none'],
    ['change', entry.change ? renderChange(entry.change) : 'not measured'],
    ['isolation', entry.isolation ? renderIsolation(entry.isolation) : 'not known'],
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

/** Why a candidate was admitted or refused, in words. */
export function renderVerdict(verdict: Verdict): string {
  if (verdict.status === 'admitted') {
    return renderAdmission(verdict)
  }
  if (verdict.status !== 'refused') return renderAgain(verdict)
  switch (verdict.reason) {
    case 'not-better':
      return `refused: not better than ${verdict.holder} in cell ${verdict.cell}`
    case 'tie':
      return `refused: equal to ${verdict.holder} in cell ${verdict.cell}`
    case 'close-call':
      return `refused: ahead of ${verdict.holder} in cell ${verdict.cell}, but not beyond the noise`
    case 'crowded':
      return `refused: too like the other trade-offs of ${verdict.holder} in cell ${verdict.cell}`
    case 'superseded':
      return 'refused: superseded, what measures or the budget was changed before it was done'
    case 'duplicate':
      return `refused: the same files as ${verdict.of}`
    default:
      return `refused: ${verdict.reason}: ${verdict.detail}`
  }
}

function renderAdmission(verdict: Verdict & { status: 'admitted' }): string {
  switch (verdict.as) {
    case 'new-cell':
      return `admitted: first in cell ${verdict.cell}`
    case 'improved':
      return `admitted: took cell ${verdict.cell} from ${[verdict.replaced, ...(verdict.also ?? [])].join(', ')}`
    case 'joined':
      return `admitted: another trade-off in cell ${verdict.cell}${verdict.dropped === undefined ? '' : `, for ${verdict.dropped}`}`
  }
}

function renderAgain(verdict: Extract<Verdict, { status: 'confirmed' | 'overfitted' | 'duelled' }>): string {
  if (verdict.status === 'confirmed') return `confirmed: ${verdict.of} was measured again`
  if (verdict.status === 'overfitted')
    return `overfitted: the gain of ${verdict.of} is not there on the held-out inputs`
  return verdict.won
    ? `duelled: ${verdict.of} stood out from ${verdict.rival}, in turns on one machine`
    : `duelled: ${verdict.of} did not stand out from ${verdict.rival}, in turns on one machine`
}

/** The lineage of a candidate, newest first, each with its gain on the baseline and what it did. */
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

/** A later measurement: what counts since then. */
function renderLater(state: CampaignState, later: LedgerEntry): string[] {
  const title = `${candidateId(state.campaign.id, later.ordinal)}: ${renderVerdict(later.verdict)}`
  const figures = later.verdict.status === 'duelled' ? [] : renderMetrics(state, later)
  const text = [...figures, ...renderRuns(state, later)]
  return [title, ...text.map((line) => (line === '' ? line : `  ${line}`))]
}

/** The size of a change, in words. */
export function renderChange({
  files,
  linesAdded,
  linesRemoved,
}: NonNullable<LedgerEntry['change']>): string {
  return `${files} ${files === 1 ? 'file' : 'files'}, +${linesAdded} −${linesRemoved} lines from the root`
}
