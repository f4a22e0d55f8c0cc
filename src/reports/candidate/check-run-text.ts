import type { CampaignState } from '../../core/campaign/campaign.ts'
import { blockText, fitBody, inlineText } from '../plain-markdown.ts'
import { renderCost, renderHeadline, renderLineageList, renderMetricTable } from './candidate-figures.ts'
import { type CandidateHistory, renderChange, renderVerdict } from './candidate-text.ts'
import { renderIsolation } from './isolation-text.ts'
import { renderConfirmation, renderNoise } from './measurement-text.ts'

export interface CheckText {
  readonly title: string
  readonly summary: string
  readonly text: string
  readonly conclusion: 'success' | 'neutral'
}

const MAX_TITLE = 250

const PLAN_HEADING = '### Plan'

/** A check run's text with the plan from before, if it has none of its own. */
export function keepPlan(text: string, before: string): string {
  const mark = `\n${PLAN_HEADING}\n`
  const at = before.indexOf(mark)
  return at < 0 || text.includes(mark) ? text : fitBody(`${text}\n${before.slice(at)}`)
}

/** The check run of a measured candidate. One that was not kept is neutral: nothing about it is broken. */
export function renderCheck(state: CampaignState, history: CandidateHistory): CheckText {
  const { entry, lineage, again, plan, runUrl } = history
  const later = again.filter(({ verdict }) => verdict.status !== 'duelled').at(-1)
  const latest = later?.metrics
  const summary = [
    `**${inlineText(renderVerdict(entry.verdict), 500)}**`,
    '',
    ...again.flatMap(({ verdict }) => [inlineText(renderVerdict(verdict), 500), '']),
    ...renderMetricTable(state, entry.metrics, latest),
    '',
    ...renderConfirmation(
      state,
      latest && { metrics: latest, interval: later.interval, heldOut: later.heldOut },
    ),
    renderNoise(state),
    '',
    ...(entry.summary === undefined ? [] : [inlineText(entry.summary, 1000), '']),
    ...(entry.change === undefined ? [] : [`Change: ${renderChange(entry.change)}.  `]),
    ...(entry.isolation === undefined ? [] : [`Isolation: ${renderIsolation(entry.isolation)}.  `]),
    `Cost: ${renderCost(entry)}.${runUrl === undefined ? '' : ` [The run](${runUrl}).`}`,
  ]
  const text = [
    '### Lineage',
    '',
    ...renderLineageList(state, lineage),
    ...(plan === undefined || plan === '' ? [] : ['', PLAN_HEADING, '', blockText(plan, 20_000)]),
  ]
  return {
    title: `${renderHeadline(state, latest ?? entry.metrics)}`.slice(0, MAX_TITLE),
    summary: fitBody(summary.join('\n')),
    text: fitBody(text.join('\n')),
    conclusion: entry.verdict.status === 'admitted' ? 'success' : 'neutral',
  }
}
