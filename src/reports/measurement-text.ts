import type { CampaignState, LedgerEntry } from '../core/campaign.ts'
import type { Confirmation } from '../core/control.ts'
import { type HeldOut, isOverfitted } from '../core/held-out.ts'
import { explainNoise } from '../core/measurement.ts'
import { renderGain, renderNumber } from './numbers.ts'

/** How far the numbers can be trusted. */
export function renderNoise({ campaign, config }: CampaignState): string {
  const { baseline } = campaign
  if (baseline === undefined) return ''
  if (baseline.deterministic) return 'Noise: none, the evaluator gives the same numbers for the same files.'
  const { noise } = baseline
  if (noise === undefined) return 'Noise: the baseline varies between runs; a small difference may be chance.'
  const { low, high } = noise.selfTest
  const alike = low <= 0 && high >= 0
  const told = explainNoise(noise, config.evaluation)
  return [
    `Noise: runs of the baseline differ by ${percent(noise.spread)}; gains from ${percent(noise.resolvable)} on can be told from chance.`,
    ...(alike ? [] : ['Against itself the baseline came out different: something drifts while it runs.']),
    ...(told === undefined ? [] : [`That is too much: ${told}.`]),
  ].join(' ')
}

/** Between what each objective truly lies, at the campaign's confidence; nothing where numbers are exact. */
function renderBetween({ config }: CampaignState, { interval }: Pick<LedgerEntry, 'interval'>): string[] {
  if (interval === undefined) return []
  return config.objectives.map(({ metric }, index) => {
    const [low = Number.NaN, high = Number.NaN] = [interval.low[index], interval.high[index]]
    return `${metric} lies between ${renderNumber(low)} and ${renderNumber(high)}`
  })
}

/** What is left of the gain on inputs that no agent has seen. */
export function renderHeldOut(heldOut: HeldOut | undefined): string[] {
  if (heldOut === undefined) return []
  const { gain, shown } = heldOut
  const judged = isOverfitted(heldOut) ? ': overfitted, the gain is not there on other inputs' : ''
  return [`On held-out inputs ${renderGain(gain)}, on the shown ones ${renderGain(shown)}${judged}`]
}

/** A confirmation for people: its certainty and its held-out gap, as a list of Markdown. */
export function renderConfirmation(state: CampaignState, confirmation: Confirmation | undefined): string[] {
  if (confirmation === undefined) return []
  const { interval, heldOut } = confirmation
  const lines = [...renderBetween(state, { interval }), ...renderHeldOut(heldOut)]
  return lines.length === 0 ? [] : [...lines.map((line) => `- ${line}.`), '']
}

function percent(share: number): string {
  return share > 100 ? 'more than they are' : `${(100 * share).toPrecision(2)} %`
}
