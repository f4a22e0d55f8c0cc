import type { CampaignState } from '../core/campaign/campaign.ts'
import { renderNumber } from './numbers.ts'

const MINUTE_MS = 60_000

/** What was spent of each budget, and what the campaign will have spent when all its candidates are done. */
export function renderBudget({ campaign, config, jobs }: CampaignState): string[] {
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
