import { summary, warning } from '@actions/core'
import type { ResultDocument } from '../../protocol/result.ts'
import { renderIsolation } from '../../reports/candidate/isolation-text.ts'
import { renderNoiseReport } from '../../reports/candidate/measurement-text.ts'
import { inlineText } from '../../reports/plain-markdown.ts'
import { quoteForeign } from './say.ts'

type MeasuredOutcome = Extract<ResultDocument['outcome'], { status: 'measured' }>

const NO_ISOLATION =
  "**none**: candidate code ran as the runner's user, as `evaluation.isolation: none` allows"

/** Adds a summary page to the run. Failing to do so does not fail the step. */
export async function showPage(markdown: string): Promise<void> {
  try {
    await summary.addRaw(markdown).write({ overwrite: true })
  } catch (error) {
    summary.emptyBuffer()
    const why = error instanceof Error ? error.message : String(error)
    warning(`The summary of this run could not be written: ${why}`, { title: 'Loreley: no summary' })
  }
}

/** The run's summary page: what was done, the result, and how far to trust it. */
export function renderSummary(document: ResultDocument): string {
  const { kind, candidate, outcome, isolation } = document
  const title = `## Loreley: ${kind}${candidate === '' ? '' : ` \`${candidate}\``}\n`
  const facts = [
    ...(isolation === undefined
      ? []
      : [`Isolation: ${isolation.level === 'none' ? NO_ISOLATION : renderIsolation(isolation)}.`]),
    `Runner: ${document.runner.os} ${document.runner.arch}, ${document.runner.cpus} processors.`,
    `Time of the runner: ${(document.usage.runnerMs / 1000).toFixed(1)} s.`,
  ]
  const list = facts.map((fact) => `- ${fact}`).join('\n')
  return [title, renderOutcome(outcome), list, '', ...document.logs.map(renderLog)].join('\n')
}

/** The output of a command, folded. */
function renderLog({ name, text }: ResultDocument['logs'][number]): string {
  const title = name.replaceAll(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
  return `<details><summary>${title}</summary>\n\n${quoteForeign(text)}\n</details>\n`
}

function renderOutcome(outcome: ResultDocument['outcome']): string {
  switch (outcome.status) {
    case 'measured':
      return `Measured tree \`${outcome.tree}\`.\n\n${renderMetrics(outcome)}\n${renderRoot(outcome)}`
    case 'duplicate':
      return `Tree \`${outcome.tree}\` was evaluated before: nothing was run.\n`
    case 'failed': {
      const whose =
        outcome.reason === 'infrastructure' ? 'This run failed, not the candidate' : 'Not measured'
      const code = outcome.code === undefined ? '' : ` (\`${outcome.code}\`)`
      return `${whose}: \`${outcome.reason}\`${code}.\n\n${quoteForeign(outcome.detail)}`
    }
  }
}

/** What the root's runs say about the evaluator. */
function renderRoot({ noise }: MeasuredOutcome): string {
  if (noise === undefined) return ''
  const lines = renderNoiseReport(noise).map((line) => `- ${line}\n`)
  return `### Noise\n\n${lines.join('')}\n`
}

/** One line per metric: its value, its spread and the number of runs. */
function renderMetrics({ metrics, samples }: MeasuredOutcome): string {
  const own = samples.filter(({ subject, stage }) => subject === 'candidate' && stage === 'full')
  const lines = Object.entries(metrics).map(([name, value]) => {
    const values = own.flatMap((sample) => sample.metrics[name] ?? [])
    return `| ${inlineText(name, 100)} | ${value} | ${renderSpread(values)} | ${values.length} |`
  })
  return ['| metric | value | spread | runs |', '|---|---|---|---|', ...lines, ''].join('\n')
}

/** Half the distance between the largest and the smallest run, relative to their midpoint. */
function renderSpread(values: readonly number[]): string {
  if (values.length < 2) return '–'
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (low === high) return 'none: deterministic'
  const middle = Math.abs(low + high) / 2
  return middle === 0 ? `± ${(high - low) / 2}` : `± ${((50 * (high - low)) / middle).toFixed(1)} %`
}
