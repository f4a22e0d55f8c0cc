import pc from 'picocolors'
import type { CampaignState, LedgerEntry } from '../../../core/campaign.ts'
import { candidateId } from '../../../core/candidate-id.ts'
import { renderMap } from '../../../reports/archive-map.ts'
import { renderHeadline } from '../../../reports/candidate-figures.ts'
import { renderVerdict } from '../../../reports/candidate-text.ts'
import { renderStatus } from '../../../reports/status-line.ts'
import { campaignFolder } from '../../../store/layout.ts'
import { shade } from '../shade.ts'
import type { ExampleOrder } from './example-repository.ts'
import { type Installation, REPO } from './installation.ts'
import type { HandMade, Shown } from './proof.ts'

export function renderBeginning({ url, repository }: Installation, order: ExampleOrder): string {
  const { candidates, parallel, seed, withoutIsolation } = order
  return [
    `${pc.bold('A GitHub in a box')} on this machine: ${url}`,
    `Its repository ${REPO.owner}/${REPO.repo} packs 26 circles into a square, not well: ${repository}`,
    `The Loreley App is installed on it, .loreley.yml and the workflow are merged. ${candidates} candidates, ${parallel} at once, seed ${seed}.`,
    withoutIsolation === undefined
      ? 'Candidate code runs as another user, apart from you.'
      : pc.yellow(`Candidate code runs as you, with \`evaluation.isolation: none\`: ${withoutIsolation}`),
    '',
  ].join('\n')
}

export function renderLabelled({ repository }: Installation, issue: number, who: string): string {
  return [
    `${pc.bold(who)} opens an issue and puts the label loreley on it: ${repository}/issues/${issue}`,
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

export interface Findings {
  readonly issue: number
  readonly shown: Shown
  readonly hand: HandMade
  readonly seconds: number
}

export function renderFindings(
  { repository }: Installation,
  state: CampaignState,
  { issue, shown, hand, seconds }: Findings,
): string {
  const folder = campaignFolder(state.campaign.id)
  const row = (what: string, where: string): string => `  ${what.padEnd(16)}${where}`
  return [
    '',
    pc.bold(`${renderStatus(state)} ${seconds} s in all.`),
    '',
    renderMap(state, shade),
    '',
    'To look at:',
    row('repository', repository),
    row('issue', `${repository}/issues/${issue}`),
    ...shown.pulls.map((pull) => row('pull request', pull)),
    row('archive map', `${repository}/blob/loreley/state/${folder}/archive.svg`),
    row('elites', `${repository}/branches, ${shown.elites.length} of them below loreley/elite/`),
    row('check runs', `${shown.checks}, one on each measured commit`),
    '',
    `Cloned ${hand.branch} and ran \`node evaluate.mjs\` there: ${hand.measured}.`,
    `Its check run says "${hand.check}": ${pc.green('the same')}.`,
  ].join('\n')
}
