import type { CommitCard } from '../../core/candidate/commit-card.ts'
import type { Metrics } from '../../core/measuring/objective.ts'
import type { Card } from '../../core/planning/recall.ts'
import { asData } from './data.ts'

const MAX_METRICS = 10
const CARD_BYTES = 3000

/** A candidate as a block of data, with its patch against the root if given. */
export function renderCard(card: Card, diff: string | undefined, maxDiffBytes: number): string {
  const name = card.ordinal === 0 ? 'the root' : `candidate ${card.ordinal}`
  const facts = [
    ...(card.summary ? [`summary: ${card.summary}`] : []),
    ...(card.metrics ? [`metrics: ${renderMetrics(card.metrics)}`] : []),
    ...(card.gain === undefined ? [] : [`gain on the baseline: ${(100 * card.gain).toFixed(1)} %`]),
    ...(card.change ? renderChange(card.change) : []),
    ...(card.path.length === 0
      ? []
      : ['path since it parted from the parent:', ...card.path.map((step) => `- ${step}`)]),
  ]
  const about = asData(name, facts.join('\n') || 'nothing is recorded', CARD_BYTES)
  return diff === undefined
    ? about
    : `${about}\n${asData(`${name}, patch from the root`, diff, maxDiffBytes)}`
}

function renderMetrics(metrics: Metrics): string {
  const shown = Object.entries(metrics).slice(0, MAX_METRICS)
  return shown.map(([name, value]) => `${name} ${value}`).join(', ')
}

function renderChange({ files, highlights }: CommitCard): string[] {
  const lines = highlights.map(
    ({ path, linesAdded, linesRemoved }) => `- ${path}: +${linesAdded} -${linesRemoved}`,
  )
  return [`changed files (${files}):`, ...lines]
}
