import { measureArchive } from '../core/archive.ts'
import type { CampaignState } from '../core/campaign.ts'
import { candidateId } from '../core/candidate-id.ts'
import { rankElites } from './leaderboard.ts'
import { renderGain, renderNumber } from './numbers.ts'
import { renderStatus } from './status-line.ts'

const ROWS = 20

/** A campaign's page on the state branch, in Markdown. */
export function renderCampaignPage(state: CampaignState): string {
  const { campaign, config, archive } = state
  const { baseline } = campaign
  const lines = [`# ${campaign.id}`, '', renderStatus(state), '', `Root: \`${campaign.root.commit}\``]
  if (baseline !== undefined) {
    const stats = measureArchive(archive, config.objectives, baseline.value)
    const cells = `${stats.elites} of ${archive.cellCount} cells held, QD score ${renderNumber(stats.qdScore)}`
    lines.push(
      '',
      '![The archive](archive.svg)',
      '',
      `Baseline: ${renderValues(state, baseline.value)} · ${cells}`,
      '',
      ...renderTable(state),
    )
  }
  return `${lines.join('\n')}\n`
}

function renderTable(state: CampaignState): string[] {
  const { campaign, config } = state
  const names = config.objectives.map(
    ({ metric, direction }) => `${metric} ${direction === 'maximize' ? '↑' : '↓'}`,
  )
  const rows = rankElites(state)
    .slice(0, ROWS)
    .map(({ cell, elite, gain }) => {
      const values = elite.value.map(renderNumber).join(' | ')
      return `| ${candidateId(campaign.id, elite.ordinal)} | ${values} | ${renderGain(gain)} | \`loreley/elite/${campaign.id}/main/${cell}\` |`
    })
  return [
    `| candidate | ${names.join(' | ')} | gain | branch |`,
    `|---|${names.map(() => '---|').join('')}---|---|`,
    ...rows,
  ]
}

function renderValues({ config }: CampaignState, value: readonly number[]): string {
  return config.objectives
    .map(({ metric }, index) => `${metric} ${renderNumber(value[index] ?? Number.NaN)}`)
    .join(', ')
}
