import pc from 'picocolors'
import { findBest } from '../../../core/archive/archive.ts'
import type { CampaignState } from '../../../core/campaign/campaign.ts'
import type { LedgerEntry } from '../../../core/campaign/ledger.ts'
import { candidateId } from '../../../core/candidate/candidate-id.ts'
import { findLater, findLineage } from '../../../core/planning/lineage.ts'
import { renderPlainStatus } from '../../../reports/campaign/status-line.ts'
import { renderHeadline } from '../../../reports/candidate/candidate-figures.ts'
import { renderCandidate, renderVerdict } from '../../../reports/candidate/candidate-text.ts'
import { renderMap } from '../../../reports/map/archive-map.ts'
import { campaignFolder } from '../../../store/layout.ts'
import { shade } from '../shade.ts'
import type { ExampleOptions } from './example-repository.ts'
import type { Site } from './installation.ts'
import type { HandMade, Played, Shown } from './proof.ts'

export function renderBeginning(url: string, { parallel, seed, withoutIsolation }: ExampleOptions): string {
  return [
    `${pc.bold('GitHub sandbox')} on this machine: ${url}`,
    `The Loreley App is installed, and .loreley.yml and the workflow are merged. ${parallel} runs at once, seed ${seed}.`,
    withoutIsolation === undefined
      ? 'Candidate code runs as a separate user.'
      : pc.yellow(`Candidate code runs as your user, without isolation: ${withoutIsolation}`),
  ].join('\n')
}

/** The introduction of an act. */
export function renderAct({ repo, url }: Site, about: string, { candidates }: ExampleOptions): string {
  return `\n${pc.bold(`${repo.owner}/${repo.repo}`)} ${about}: ${url}\n${candidates} candidates.\n`
}

export function renderLabelled({ url }: Site, issue: number, who: string): string {
  return [
    `${pc.bold(who)} opens an issue and puts the label loreley on it: ${url}/issues/${issue}`,
    'The App replies there. Each candidate is one run of the workflow: an agent (offline, no model) proposes a change,',
    'a second job without secrets measures it, and the App commits what was measured.',
    '',
  ].join('\n')
}

/** One line per finished candidate: its result and its change. */
export function renderEntry(entry: LedgerEntry, state: CampaignState, seconds: number): string {
  const time = pc.dim(`${seconds.toFixed(0).padStart(4)} s`)
  const figures = entry.metrics === undefined ? 'not measured' : renderHeadline(state, entry.metrics)
  const verdict = renderVerdict(entry.verdict).replaceAll(/\s+/g, ' ').slice(0, 60)
  const isAdmitted = entry.verdict.status === 'admitted'
  const name = entry.ordinal === 0 ? 'baseline' : candidateId(state.campaign.id, entry.ordinal)
  const said = entry.summary ? pc.dim(` · ${entry.summary.slice(0, 60)}`) : ''
  return `${time}  ${name.padEnd(15)}${figures.padEnd(29)}${isAdmitted ? pc.green(verdict) : verdict}${said}`
}

/** The best candidate: how it was measured, and measured again on held-out inputs. */
export function renderWinner(state: CampaignState, entries: ReadonlyMap<number, LedgerEntry>): string {
  const winner = findBest(state.archive, state.config.objectives)
  const entry = winner && entries.get(winner.ordinal)
  if (entry === undefined) return ''
  const lineage = findLineage(entry, entries)
  return renderCandidate(state, { entry, lineage, again: findLater(entries, entry.ordinal) })
}

export function renderFindings({ url }: Site, { state, issue, shown }: Played, hand: HandMade): string {
  const folder = campaignFolder(state.campaign.id)
  return [
    '',
    pc.bold(renderPlainStatus(state)),
    '',
    renderMap(state, shade),
    '',
    `${pc.bold('The winner')}, as \`loreley show\` prints it:`,
    renderWinner(state, new Map(state.ledger.tail.map((entry) => [entry.ordinal, entry]))),
    ...renderLinks(url, issue, shown),
    row('archive map', `${url}/blob/loreley/state/${folder}/archive.svg`),
    row('elites', `${url}/branches, ${shown.elites.length} under loreley/elite/`),
    row('check runs', `${shown.checks}, one per measured commit`),
    '',
    `Cloned ${hand.branch} and ran \`node evaluate.mjs\` there: ${hand.measured}.`,
    `Its check run says "${hand.check}": ${pc.green('the same')}.`,
  ].join('\n')
}

/** Where to look first. */
export function renderLinks(url: string, issue: number, { pulls }: Shown): string[] {
  return [
    'Take a look:',
    row('repository', url),
    row('issue', `${url}/issues/${issue}`),
    ...pulls.map((pull) => row('pull request', pull)),
  ]
}

function row(what: string, where: string): string {
  return `  ${what.padEnd(16)}${where}`
}
