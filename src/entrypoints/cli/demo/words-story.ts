import pc from 'picocolors'
import type { LedgerEntry } from '../../../core/campaign/ledger.ts'
import { renderNumber } from '../../../reports/numbers.ts'
import { renderRuns } from '../../../reports/runs-text.ts'
import { renderPlainStatus } from '../../../reports/status-line.ts'
import type { HandCompared } from './compare-by-hand.ts'
import type { Site } from './installation.ts'
import type { Played } from './play-campaign.ts'
import { renderPlaces, renderWinner } from './story.ts'

/** What came of a campaign whose numbers vary: how much they do, what stands out all the same, and by hand. */
export function renderComparison(
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
    `${pc.bold('The root')}, as \`loreley show\` tells it:`,
    ...(root === undefined ? [] : renderRuns(state, root)),
    ...(hand === undefined
      ? [NOTHING]
      : [`${pc.bold('The winner')}, likewise:`, renderWinner(state, entries)]),
    ...renderPlaces(url, issue, shown),
    ...(hand === undefined ? [] : ['', ...renderHand(hand)]),
  ].join('\n')
}

const NOTHING =
  'No candidate stands out from the noise, and so none is called better. Another seed, or more candidates, may have more luck.\n'

function renderHand({ branch, winner, root, ratio, low, high }: HandCompared): string[] {
  const list = (numbers: readonly number[]): string => numbers.map(short).join(' ')
  const agrees = ratio >= low && ratio <= high
  return [
    `Cloned ${branch} and main and ran \`node evaluate.mjs\` in turns:`,
    `  winner  ${list(winner)}`,
    `  root    ${list(root)}`,
    `By hand the ratio is ${short(ratio)}; by the campaign it lies between ${short(low)} and ${short(high)}: ${agrees ? pc.green('they agree') : pc.yellow('it is outside, so few runs on this machine vary more than that')}.`,
  ]
}

function short(number: number): string {
  return renderNumber(Number(number.toPrecision(3)))
}
