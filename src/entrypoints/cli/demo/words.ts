import pc from 'picocolors'
import { type Elite, findBest } from '../../../core/archive/archive.ts'
import type { CampaignState } from '../../../core/campaign/campaign.ts'
import type { LedgerEntry } from '../../../core/campaign/ledger.ts'
import { renderPlainStatus } from '../../../reports/campaign/status-line.ts'
import { renderRuns } from '../../../reports/candidate/runs-text.ts'
import { renderNumber } from '../../../reports/numbers.ts'
import { summarise } from '../commands/status.ts'
import { compareByHand, type HandCompared } from './compare-by-hand.ts'
import type { Site } from './installation.ts'
import { renderLinks, renderWinner } from './output.ts'
import { playCampaign } from './play-campaign.ts'
import { failed, type Played } from './proof.ts'
import type { Stage } from './stage.ts'

const ISSUE = {
  title: 'Count words faster',
  body: 'Long texts take long. The table or the sort may have sizes that do not fit.',
}

/** The second act: noisy numbers, and how the campaign deals with them. */
export async function playWords(site: Site, stage: Stage): Promise<Record<string, unknown>> {
  const played = await playCampaign(site, stage, ISSUE)
  const { state, shown } = played
  assertMeasured(state)
  const winner = findWinner(state)
  const hand = winner && (await compareByHand(site, state, { winner, folder: stage.folder }))
  stage.say(renderComparison(site, played, hand))
  return { ...summariseNoise(state, winner, hand), pullRequests: shown.pulls.length }
}

/** Throws when noisy numbers were treated as exact. A winner is not required. */
export function assertMeasured({ campaign, config, ledger }: CampaignState): void {
  if (campaign.baseline?.noise === undefined) throw failed("The root's noise was not measured.")
  if (campaign.status.phase === 'paused') return
  if (campaign.finished < config.limits.candidates)
    throw failed(`Only ${campaign.finished} of ${config.limits.candidates} candidates were tried.`)
  const interleaved = ledger.tail.filter(({ runs, interval }) => runs?.root.length && interval !== undefined)
  if (interleaved.length === 0) throw failed('No candidate was interleaved with the root.')
}

/** The best candidate, if it beats the root. */
function findWinner({ archive, config }: CampaignState): Elite | undefined {
  const best = findBest(archive, config.objectives)
  return best?.ordinal === 0 ? undefined : best
}

function summariseNoise(
  state: CampaignState,
  winner: Elite | undefined,
  hand: HandCompared | undefined,
): Record<string, unknown> {
  const { baseline, best, candidates, gain, measuredAgain } = summarise(state)
  const countPairs = ({ runs }: LedgerEntry): number =>
    Math.min(runs?.candidate.length ?? 0, runs?.root.length ?? 0)
  return {
    baseline,
    best,
    candidates,
    gain,
    measuredAgain,
    noise: state.campaign.baseline?.noise,
    pairs: state.ledger.tail.reduce((sum, entry) => sum + countPairs(entry), 0),
    interval: winner?.interval,
    heldOut: winner?.heldOut,
    byHand: hand,
  }
}

/** The result of a noisy campaign: the noise, the winner if any, and a comparison by hand. */
function renderComparison(
  { url }: Site,
  { state, issue, shown }: Played,
  hand: HandCompared | undefined,
): string {
  const entries = new Map<number, LedgerEntry>(state.ledger.tail.map((entry) => [entry.ordinal, entry]))
  const root = entries.get(0)
  return [
    '',
    pc.bold(renderPlainStatus(state)),
    '',
    `${pc.bold('The root')}, as \`loreley show\` prints it:`,
    ...(root === undefined ? [] : renderRuns(state, root)),
    ...(hand === undefined
      ? [NOTHING]
      : [`${pc.bold('The winner')}, likewise:`, renderWinner(state, entries)]),
    ...renderLinks(url, issue, shown),
    ...(hand === undefined ? [] : ['', ...renderHand(hand)]),
  ].join('\n')
}

const NOTHING =
  'No candidate stands out from the noise, so none is called better. Another seed or more candidates may help.\n'

function renderHand({ branch, winner, root, ratio, low, high }: HandCompared): string[] {
  const list = (numbers: readonly number[]): string => numbers.map(short).join(' ')
  const agrees = ratio >= low && ratio <= high
  return [
    `Cloned ${branch} and main and ran \`node evaluate.mjs\` interleaved:`,
    `  winner  ${list(winner)}`,
    `  root    ${list(root)}`,
    `By hand the ratio is ${short(ratio)}. The campaign's interval is ${short(low)} to ${short(high)}: ${agrees ? pc.green('they agree') : pc.yellow('they differ, because so few runs vary more than that')}.`,
  ]
}

function short(number: number): string {
  return renderNumber(Number(number.toPrecision(3)))
}
