import { measureArchive, nicheName } from '../core/archive.ts'
import type { CampaignState } from '../core/campaign.ts'
import { candidateId } from '../core/candidate-id.ts'
import { rankElites } from './leaderboard.ts'
import { renderLeftOut } from './left-out.ts'
import { renderNoise } from './measurement-text.ts'
import { renderGain, renderNumber } from './numbers.ts'
import { renderStatus } from './status-line.ts'

const ROWS = 8

/** A campaign for the terminal: where it stands, its baseline, its best candidates. */
export function renderCampaignText(state: CampaignState): string {
  const { campaign, archive, config } = state
  const { baseline } = campaign
  const head = [`${campaign.id}: ${renderStatus(state)}`]
  if (baseline === undefined) return head.join('\n')
  const stats = measureArchive(archive, config.objectives, baseline.value)
  const names = config.objectives.map(({ metric }) => metric)
  const table = rankElites(state)
    .slice(0, ROWS)
    .map(({ elite, gain, ...niche }, index) => [
      `${index + 1}`,
      candidateId(campaign.id, elite.ordinal),
      ...elite.value.map(renderNumber),
      renderGain(gain),
      `cell ${nicheName(niche)}`,
    ])
  return [
    ...head,
    `baseline  ${names.map((name, index) => `${name} ${renderNumber(baseline.value[index] ?? Number.NaN)}`).join(', ')}`,
    ...(baseline.deterministic ? [] : [`noise     ${renderNoise(state).replace('Noise: ', '')}`]),
    `archive   ${stats.cells} of ${archive.cellCount} cells held${stats.elites === stats.cells ? '' : ` by ${stats.elites} elites`}, QD score ${renderNumber(stats.qdScore)}`,
    ...renderLeftOut(state).map((line) => `left out  ${line}`),
    '',
    ...alignColumns([['', 'candidate', ...names, 'gain', 'niche'], ...table]),
  ].join('\n')
}

/** Rows of cells as lines with even columns. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  )
}
