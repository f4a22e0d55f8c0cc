import { measureArchive, nicheName } from '../../core/archive/archive.ts'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import type { UsedIsolation } from '../../core/measuring/provenance.ts'
import { renderIsolation } from '../candidate/isolation-text.ts'
import { renderNoise } from '../candidate/measurement-text.ts'
import { renderGain, renderNumber } from '../numbers.ts'
import { renderArm } from './arm-text.ts'
import { isNoisy, type RankedElite, rankElites, renderMeasured, renderTrust } from './leaderboard.ts'
import { renderLeftOut } from './left-out.ts'
import { renderPlainStatus } from './status-line.ts'

const ROWS = 8

/** A campaign for the terminal: status, baseline, best candidates. */
export function renderCampaignText(state: CampaignState): string {
  const { campaign, archive, config } = state
  const { baseline } = campaign
  const head = [`${campaign.id}: ${renderPlainStatus(state)}`]
  if (baseline === undefined) return head.join('\n')
  const stats = measureArchive(archive, config.objectives, baseline.value)
  const names = config.objectives.map(({ metric }) => metric)
  const noisy = isNoisy(state)
  const ranked = rankElites(state)
  const table = ranked
    .slice(0, ROWS)
    .map(({ elite, gain, ...niche }, index) => [
      `${index + 1}`,
      candidateId(campaign.id, elite.ordinal),
      ...elite.value.map(renderNumber),
      renderGain(gain),
      ...(noisy ? [renderMeasured(elite)] : []),
      `${nicheName(niche)}`,
    ])
  return [
    ...head,
    `baseline  ${names.map((name, index) => `${name} ${renderNumber(baseline.value[index] ?? Number.NaN)}`).join(', ')}`,
    ...(baseline.deterministic ? [] : [`noise     ${renderNoise(state).replace('Noise: ', '')}`]),
    ...renderBest(state, ranked[0]),
    ...renderArm(state).map((line) => `evidence  ${line}`),
    `archive   ${stats.cells} of ${archive.cellCount} niches filled${stats.elites === stats.cells ? '' : ` with ${stats.elites} elites`}, QD score ${renderNumber(stats.qdScore)}`,
    ...renderLeftOut(state).map((line) => `left out  ${line}`),
    ...renderLastIsolation(state),
    '',
    ...alignColumns([['', 'candidate', ...names, 'gain', ...(noisy ? ['measured'] : []), 'niche'], ...table]),
  ].join('\n')
}

function renderBest(state: CampaignState, best: RankedElite | undefined): string[] {
  if (best === undefined) return []
  const { elite, gain } = best
  return elite.ordinal === 0
    ? ['best      the baseline (no candidate is clearly better)']
    : [
        `best      ${candidateId(state.campaign.id, elite.ordinal)}, ${renderGain(gain)}${renderTrust(state, elite)}`,
      ]
}

/** How the last measured candidate was isolated: machines may differ. */
export function findLastIsolation({ ledger }: CampaignState): UsedIsolation | undefined {
  return ledger.tail.findLast((entry) => entry.isolation)?.isolation
}

function renderLastIsolation(state: CampaignState): string[] {
  const isolation = findLastIsolation(state)
  return isolation === undefined ? [] : [`isolation ${renderIsolation(isolation)}`]
}

/** Rows of cells as lines with aligned columns. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  )
}
