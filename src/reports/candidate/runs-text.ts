import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import type { Runs } from '../../core/measuring/measurement.ts'
import { reportNoise } from '../../core/measuring/noise.ts'
import { alignColumns } from '../campaign/campaign-text.ts'
import { renderNumber } from '../numbers.ts'
import { renderHeldOut, renderInterval, renderNoiseReport } from './measurement-text.ts'

const RUNS_A_LINE = 10
// With many runs, more digits would be noise.
const DIGITS = 4

/** Every run of each objective, pair by pair, and the resulting interval. */
export function renderRuns(state: CampaignState, entry: LedgerEntry): string[] {
  const { runs } = entry
  if (runs === undefined) return []
  const intervals = renderInterval(state, entry)
  const lines = state.config.objectives.flatMap(({ metric }, index) => [
    ...renderStage(`${metric}, quick run`, runs.quick, index),
    ...renderStage(metric, runs, index),
    ...intervals.slice(index, index + 1),
    ...renderStage(`${metric}, held-out`, runs.heldOut, index),
  ])
  const noise = entry.kind === 'baseline' ? renderOwnNoise(state, runs) : []
  const said = [...lines, ...renderHeldOut(entry.heldOut), ...noise]
  return ['measured', ...said.map((line) => `  ${line}`), '']
}

/** How much the runs of the root differ from each other. */
function renderOwnNoise({ config }: CampaignState, { candidate }: Runs): string[] {
  const { objectives, evaluation } = config
  const runs = candidate.map((value) =>
    Object.fromEntries(objectives.map(({ metric }, index) => [metric, value[index] ?? Number.NaN])),
  )
  const report = reportNoise(runs, objectives, evaluation)
  return report === undefined ? [] : renderNoiseReport(report)
}

type StageRuns = Pick<Runs, 'candidate' | 'root' | 'rival'>

function renderStage(name: string, stage: StageRuns | undefined, index: number): string[] {
  if (stage === undefined || stage.candidate.length === 0) return []
  const { candidate, root, rival = [] } = stage
  const numbers = (values: StageRuns['root']): number[] => values.map((value) => value[index] ?? Number.NaN)
  const [own, others] = [numbers(candidate), numbers(rival.length > 0 ? rival : root)]
  const other = rival.length > 0 ? 'the rival' : 'the root'
  const [only = Number.NaN] = own
  if (own.length === 1) {
    const beside = others.map((number) => `, ${other} ${renderNumber(number)}`)
    return [`${name}: ${renderNumber(only)}${beside.join('')}`]
  }
  if (others.length === 0) return [`${name}: ${own.length} runs`, ...renderRows([['it', own]])]
  const ratios = own.map((number, at) => number / (others[at] ?? Number.NaN))
  return [
    `${name}: ${own.length} pairs, interleaved with ${other} on one machine`,
    ...renderRows([
      ['it', own],
      [other, others],
      ['ratio', ratios],
    ]),
  ]
}

/** Aligned columns, a few runs per line. */
function renderRows(rows: readonly (readonly [who: string, numbers: readonly number[]])[]): string[] {
  const lines: string[] = []
  const count = rows[0]?.[1].length ?? 0
  for (let start = 0; start < count; start += RUNS_A_LINE) {
    const part = rows.map(([who, numbers]) => [
      who,
      ...numbers
        .slice(start, start + RUNS_A_LINE)
        .map((number) => renderNumber(Number(number.toPrecision(DIGITS)))),
    ])
    lines.push(...alignColumns(part))
  }
  return lines
}
