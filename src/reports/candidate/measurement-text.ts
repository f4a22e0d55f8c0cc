import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { Confirmation } from '../../core/campaign/control.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { type HeldOut, isOverfitted } from '../../core/measuring/held-out.ts'
import { explainNoise, isAlike, type Noise, type NoiseReport } from '../../core/measuring/noise.ts'
import { renderGain, renderNumber } from '../numbers.ts'
import { inlineText } from '../plain-markdown.ts'

/** How far the numbers can be trusted. */
export function renderNoise({ campaign, config }: CampaignState): string {
  const { baseline } = campaign
  if (baseline === undefined) return ''
  if (baseline.deterministic) return 'Noise: none. The evaluator gives the same numbers for the same files.'
  const { noise } = baseline
  if (noise === undefined && campaign.varies === true)
    return 'Noise: runs of the baseline agree, but another candidate gave a different number when it was measured again. A small difference may be chance.'
  if (noise === undefined) return 'Noise: the baseline varies between runs. A small difference may be chance.'
  const told = explainNoise(noise, config.evaluation)
  return [
    `Noise: runs of the baseline differ by ${percent(noise.spread)}${renderMetric(noise)}; gains of ${percent(noise.resolvable)} or more stand out.`,
    ...(isAlike(noise) ? [] : ['The baseline differs from itself: something drifts while it runs.']),
    ...(told === undefined ? [] : [`That is too noisy: ${told}.`]),
  ].join(' ')
}

function renderMetric({ metric }: Noise): string {
  return metric === undefined ? '' : ` in ${inlineText(metric, 100)}, the objective that varies most`
}

/** What a maintainer should know about an evaluator, as lines. */
export function renderNoiseReport(report: NoiseReport): string[] {
  const { runs, noise, variation, tooNoisy, confidence, maxPairs } = report
  if (noise === undefined)
    return [`The root gave the same numbers in ${runs} runs. Candidates are measured once.`]
  return [
    `The root was measured ${runs} times: coefficient of variation ${percent(variation)}, robust spread ${percent(noise.spread)}${renderMetric(noise)}.`,
    isAlike(noise)
      ? 'A/A test: the root does not differ from itself, as it should.'
      : `A/A test: the root differs from itself by ${renderGain(noise.selfTest.estimate)}. Something drifts while it runs.`,
    `Candidates get up to ${maxPairs} pairs. The interval of a verdict on the root itself would then reach ${percent(noise.resolvable)}, with a confidence of ${confidence}: greater gains stand out.`,
    tooNoisy === undefined
      ? `That is precise enough for \`evaluation.sampling.smallest_gain\` (${percent(report.smallestGain)}).`
      : `Too noisy: ${tooNoisy}. A campaign would pause before it spends anything.`,
  ]
}

/** The confidence interval of each objective, and how it compares with the root. */
export function renderInterval(
  { campaign, config }: CampaignState,
  { interval }: Pick<LedgerEntry, 'interval'>,
): string[] {
  if (interval === undefined) return []
  return config.objectives.map(({ metric, direction }, index) => {
    const [low = Number.NaN, high = Number.NaN] = [interval.low[index], interval.high[index]]
    const where = `${metric} is between ${renderNumber(low)} and ${renderNumber(high)} (confidence ${config.evaluation.sampling.confidence})`
    const root = campaign.baseline?.value[index]
    if (root === undefined || root === 0) return where
    const sign = direction === 'maximize' ? 1 : -1
    const gains = [low, high].map((end) => (sign * (end - root)) / Math.abs(root)).sort((a, b) => a - b)
    const [least = Number.NaN, most = Number.NaN] = gains
    return `${where}: ${renderGain(least)} to ${renderGain(most)} against the root, ${judge(least, most)}`
  })
}

function judge(least: number, most: number): string {
  if (least > 0) return 'clearly better'
  return most < 0 ? 'clearly worse' : 'within the noise'
}

/** How much of the gain holds on inputs that no agent has seen. */
export function renderHeldOut(heldOut: HeldOut | undefined): string[] {
  if (heldOut === undefined) return []
  const judged = isOverfitted(heldOut) ? ' (overfitted)' : ''
  const [gain, shown] = [heldOut.gain, heldOut.shown].map((each) => renderHeldOutGain(each, heldOut))
  return [`Gain on held-out inputs: ${gain}, on the known inputs: ${shown}${judged}`]
}

/** One of these gains: a share, or a number in the metric's own unit. */
export function renderHeldOutGain(gain: number, { absolute }: HeldOut): string {
  if (absolute !== true) return renderGain(gain)
  return `${gain < 0 ? '−' : '+'}${renderNumber(Math.abs(gain))}`
}

/** Candidates whose gain held on the known inputs only, as a Markdown list, newest last. */
export function renderOverfitted({ campaign, ledger }: CampaignState): string[] {
  const found = ledger.tail.flatMap(({ verdict, heldOut }) =>
    verdict.status === 'overfitted' ? [{ of: verdict.of, heldOut }] : [],
  )
  return found.map(
    ({ of, heldOut }) =>
      `- ${candidateId(campaign.id, of)} holds no niche. ${renderHeldOut(heldOut).join('')}`,
  )
}

/** A confirmation as a Markdown list: its interval and its held-out gain. */
export function renderConfirmation(state: CampaignState, confirmation: Confirmation | undefined): string[] {
  if (confirmation === undefined) return []
  const { interval, heldOut } = confirmation
  const lines = [...renderInterval(state, { interval }), ...renderHeldOut(heldOut)]
  return lines.length === 0 ? [] : [...lines.map((line) => `- ${line}.`), '']
}

function percent(share: number): string {
  return share > 100 ? 'more than 10000 %' : `${(100 * share).toPrecision(2)} %`
}
