import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { readValue, relativeGain } from '../../core/measuring/objective.ts'
import { renderGain, renderNumber } from '../numbers.ts'
import { inlineText } from '../plain-markdown.ts'

/** The gain of a candidate's metrics over the baseline. */
function gainOf({ campaign, config }: CampaignState, metrics: LedgerEntry['metrics']): number | undefined {
  const read = readValue(metrics ?? {}, config.objectives)
  if (read.status === 'refused' || campaign.baseline === undefined) return undefined
  return relativeGain(read.value, campaign.baseline.value, config.objectives)
}

/** The first objective with its value and gain: what a reader wants to know first. */
export function renderHeadline(state: CampaignState, metrics: LedgerEntry['metrics']): string {
  const metric = state.config.objectives[0]?.metric ?? ''
  const value = metrics?.[metric]
  return value === undefined
    ? 'not measured'
    : `${metric} ${renderNumber(value)} (${renderGain(gainOf(state, metrics))})`
}

/** All metrics beside the baseline; a confirmation gets its own column. */
export function renderMetricTable(
  { campaign, config }: CampaignState,
  metrics: LedgerEntry['metrics'],
  confirmation?: LedgerEntry['metrics'],
): string[] {
  if (metrics === undefined) return []
  const objectives = new Map(config.objectives.map(({ metric, direction }) => [metric, direction]))
  const names = [...new Set([...objectives.keys(), ...Object.keys(metrics)])].slice(0, 40)
  const cell = (value: number | undefined): string => (value === undefined ? '' : renderNumber(value))
  const rows = names.map((name) => {
    const arrow = objectives.has(name) ? (objectives.get(name) === 'maximize' ? ' ↑' : ' ↓') : ''
    const confirmed = confirmation === undefined ? '' : ` ${cell(confirmation[name])} |`
    return `| ${inlineText(name, 100)}${arrow} | ${cell(metrics[name])} |${confirmed} ${cell(campaign.baseline?.metrics[name])} |`
  })
  const head = confirmation === undefined ? '| candidate |' : '| when found | confirmed |'
  return [`| metric ${head} baseline |`, `|---|---|${confirmation === undefined ? '' : '---|'}---|`, ...rows]
}

/** The candidate and its ancestors, newest first. */
export function renderLineageList(state: CampaignState, lineage: readonly LedgerEntry[]): string[] {
  return lineage.slice(0, 20).map((entry) => {
    const id = entry.ordinal === 0 ? 'root' : candidateId(state.campaign.id, entry.ordinal)
    const how = entry.ordinal === 0 ? '' : `, ${entry.operator}`
    const said =
      entry.summary === undefined || entry.summary === '' ? '' : `: ${inlineText(entry.summary, 200)}`
    return `1. ${id}, ${renderHeadline(state, entry.metrics)}${how}${said}`
  })
}

/** What a candidate cost. */
export function renderCost({ usage }: Pick<LedgerEntry, 'usage'>): string {
  const parts = [
    `${(usage.runnerMs / 60_000).toFixed(1)} runner minutes`,
    ...(usage.tokens > 0 ? [`${renderNumber(usage.tokens)} tokens`] : []),
    ...(usage.dollars > 0 ? [`$${usage.dollars.toFixed(2)}`] : []),
  ]
  return parts.join(', ')
}
