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
    `${pc.bold('A GitHub in a box')} on this machine: ${url}`,
    `The Loreley App is installed on its repositories, .loreley.yml and the workflow are merged. ${parallel} runs at once, seed ${seed}.`,
    withoutIsolation === undefined
      ? 'Candidate code runs as another user, apart from you.'
      : pc.yellow(`Candidate code runs as you, with \`evaluation.isolation: none\`: ${withoutIsolation}`),
  ].join('\n')
}

/** What an act is about. */
export function renderAct({ repo, url }: Site, about: string, { candidates }: ExampleOptions): string {
  return `\n${pc.bold(`${repo.owner}/${repo.repo}`)} ${about}: ${url}\n${candidates} candidates.\n`
}

export function renderLabelled({ url }: Site, issue: number, who: string): string {
  return [
    `${pc.bold(who)} opens an issue and puts the label loreley on it: ${url}/issues/${issue}`,
    'The App answers there. Each candidate is one run of the workflow: an agent (offline, no model) proposes a change,',
    'a second job without secrets measures it, and the App commits what was measured.',
    '',
  ].join('\n')
}

/** A line a finished candidate: what came of it, and what it had changed. */
export function renderEntry(entry: LedgerEntry, state: CampaignState, seconds: number): string {
  const time = pc.dim(`${seconds.toFixed(0).padStart(4)} s`)
  const figures = entry.metrics === undefined ? 'no figures' : renderHeadline(state, entry.metrics)
  const verdict = renderVerdict(entry.verdict).replaceAll(/\s+/g, ' ').slice(0, 60)
  const isAdmitted = entry.verdict.status === 'admitted'
  const name = entry.ordinal === 0 ? 'baseline' : candidateId(state.campaign.id, entry.ordinal)
  const said = entry.summary ? pc.dim(` · ${entry.summary.slice(0, 60)}`) : ''
  return `${time}  ${name.padEnd(15)}${figures.padEnd(29)}${isAdmitted ? pc.green(verdict) : verdict}${said}`
}

/** What is known of the best: how it was measured, and measured again on inputs that no agent has seen. */
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
    `${pc.bold('The winner')}, as \`loreley show\` tells it:`,
    renderWinner(state, new Map(state.ledger.tail.map((entry) => [entry.ordinal, entry]))),
    ...renderLinks(url, issue, shown),
    row('archive map', `${url}/blob/loreley/state/${folder}/archive.svg`),
    row('elites', `${url}/branches, ${shown.elites.length} of them below loreley/elite/`),
    row('check runs', `${shown.checks}, one on each measured commit`),
    '',
    `Cloned ${hand.branch} and ran \`node evaluate.mjs\` there: ${hand.measured}.`,
    `Its check run says "${hand.check}": ${pc.green('the same')}.`,
  ].join('\n')
}

/** Where people look first. */
export function renderLinks(url: string, issue: number, { pulls }: Shown): string[] {
  return [
    'To look at:',
    row('repository', url),
    row('issue', `${url}/issues/${issue}`),
    ...pulls.map((pull) => row('pull request', pull)),
  ]
}

function row(what: string, where: string): string {
  return `  ${what.padEnd(16)}${where}`
}
