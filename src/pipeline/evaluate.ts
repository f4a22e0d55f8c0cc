import { constants } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EvaluationConfig } from '../config/campaign-config.ts'
import { cleanText } from '../core/clean-text.ts'
import type { Metrics } from '../core/objective.ts'
import type { FailureReason } from '../core/verdict.ts'
import { createCleanEnvironment } from '../process/clean-environment.ts'
import { type GroupOutcome, runGroup, shellArgv } from '../process/run-group.ts'
import { parseMetrics } from './metrics.ts'
import type { WorkFolder } from './work-folder.ts'

export interface EvaluationOrder {
  readonly folder: WorkFolder
  readonly trusted: string
  readonly evaluation: EvaluationConfig
  /** Metrics that must be finite numbers: the objectives' and the axes'. The first names a lone number. */
  readonly neededMetrics: readonly string[]
  readonly path: string
  readonly passedEnvironment: Readonly<Record<string, string>>
  readonly owner: string
  readonly signal: AbortSignal
}

export type EvaluationOutcome =
  | { readonly status: 'measured'; readonly metrics: Metrics; readonly runnerMs: number }
  | {
      readonly status: 'failed'
      readonly reason: FailureReason
      readonly detail: string
      readonly runnerMs: number
    }
  | { readonly status: 'aborted' }

const DETAIL_CHARACTERS = 2000

/** Runs the gates, then the measuring command, and reads its metrics. */
export async function evaluate(order: EvaluationOrder): Promise<EvaluationOutcome> {
  const { evaluation } = order
  let runnerMs = 0
  for (const gate of evaluation.gates) {
    const outcome = await runCommand(order, gate.command, gate.timeoutSeconds)
    runnerMs += outcome.durationMs
    if (outcome.status === 'aborted') return { status: 'aborted' }
    const detail = findFault(outcome)
    if (detail !== undefined)
      return { status: 'failed', reason: 'gate-failed', detail: `${gate.name}: ${detail}`, runnerMs }
  }
  // The measuring command writes this file; one that a candidate brought along must not be taken for its answer.
  if (evaluation.output.file !== undefined) {
    await rm(join(order.folder.files, evaluation.output.file), { recursive: true, force: true })
  }
  const outcome = await runCommand(order, evaluation.command, evaluation.timeoutSeconds)
  runnerMs += outcome.durationMs
  if (outcome.status === 'aborted') return { status: 'aborted' }
  return { ...(await readOutcome(order, outcome)), runnerMs }
}

async function runCommand(
  order: EvaluationOrder,
  line: string,
  timeoutSeconds: number,
): Promise<GroupOutcome> {
  const { folder, evaluation } = order
  const extra = { ...order.passedEnvironment, LORELEY_TRUSTED: order.trusted }
  return await runGroup({
    argv: shellArgv(line),
    cwd: folder.files,
    env: createCleanEnvironment({ path: order.path, home: folder.home, temp: folder.temp, extra }),
    timeoutMs: timeoutSeconds * 1000,
    maxOutputBytes: evaluation.maxOutputBytes,
    signal: order.signal,
    owner: order.owner,
  })
}

type Reading =
  | { readonly status: 'measured'; readonly metrics: Metrics }
  | { readonly status: 'failed'; readonly reason: FailureReason; readonly detail: string }

async function readOutcome(order: EvaluationOrder, outcome: GroupOutcome): Promise<Reading> {
  const fault = findFault(outcome)
  if (fault !== undefined) {
    const reason = outcome.status === 'timed-out' ? 'evaluation-timed-out' : 'evaluation-failed'
    return { status: 'failed', reason, detail: fault }
  }
  const { output } = order.evaluation
  const file = output.file === undefined ? undefined : await readMetricsFile(order, output.file)
  const parsed = parseMetrics({ stdout: outcome.stdout, file }, output.form, order.neededMetrics[0] ?? '')
  if (parsed.status === 'unreadable')
    return { status: 'failed', reason: 'output-unreadable', detail: parsed.reason }
  return keepFinite(parsed.metrics, order.neededMetrics)
}

// State is JSON, which has no NaN: a needed metric that is not finite refuses the candidate, others are left out.
function keepFinite(metrics: Metrics, needed: readonly string[]): Reading {
  for (const metric of needed) {
    if (!Object.hasOwn(metrics, metric)) return { status: 'failed', reason: 'metric-missing', detail: metric }
    if (!Number.isFinite(metrics[metric]))
      return { status: 'failed', reason: 'metric-not-finite', detail: metric }
  }
  return {
    status: 'measured',
    metrics: Object.fromEntries(Object.entries(metrics).filter(([, value]) => Number.isFinite(value))),
  }
}

// Bounded reading from one open file: its size may change while we look, and it may be a link to anything. Only
// plain files are read, and opening does not block: a pipe without a writer would hold us for ever.
async function readMetricsFile(order: EvaluationOrder, path: string): Promise<string | undefined> {
  try {
    const file = await open(join(order.folder.files, path), constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!(await file.stat()).isFile()) return undefined
      const buffer = Buffer.alloc(order.evaluation.maxOutputBytes)
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

function findFault(outcome: GroupOutcome): string | undefined {
  if (outcome.status === 'exited' && outcome.exitCode === 0) return undefined
  const said = cleanText(`${outcome.stdout}\n${outcome.stderr}`, DETAIL_CHARACTERS)
  return [describeEnd(outcome), said].filter(Boolean).join('\n')
}

function describeEnd(outcome: GroupOutcome): string {
  switch (outcome.status) {
    case 'exited':
      return `exit code ${outcome.exitCode}`
    case 'signalled':
      return `ended by ${outcome.signal}`
    case 'timed-out':
      return 'ran into its time limit'
    case 'not-started':
      return `could not start: ${outcome.reason}`
    case 'aborted':
      return 'aborted'
  }
}
