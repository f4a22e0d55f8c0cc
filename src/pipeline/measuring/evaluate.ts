import type { EvaluationConfig } from '../../config/campaign-config.ts'
import type { Metrics } from '../../core/measuring/objective.ts'
import type { FailureReason } from '../../core/measuring/verdict.ts'
import { cleanOutput, redactSecrets } from '../../core/redact-secrets.ts'
import type { Isolation } from '../../process/isolation/isolation.ts'
import { type GroupOutcome, runGroup, shellArgv } from '../../process/run-group.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { createCommandEnvironment } from './command-environment.ts'
import { findUnmet, removeGateReport } from './gate-expectation.ts'
import { parseMetrics } from './metrics.ts'
import { type MetricsFile, readMetricsFile, removeMetricsFile } from './metrics-file.ts'

export interface EvaluationRequest {
  readonly workspace: Workspace
  readonly trusted: string
  readonly programs: string
  /** Paths that only the command itself may read. */
  readonly hidden?: readonly string[] | undefined
  readonly evaluation: EvaluationConfig
  /** Metrics that must be finite numbers: the objectives' and the axes'. The first names a lone number. */
  readonly neededMetrics: readonly string[]
  readonly path: string
  readonly passedEnvironment: Readonly<Record<string, string>>
  readonly owner: string
  readonly signal: AbortSignal
  /** Undefined: the commands run as our user. */
  readonly isolation?: Isolation | undefined
  /** Called when a command ends; with the gate's name if it was one. */
  readonly onEnd?: ((outcome: GroupOutcome, gate?: string) => void) | undefined
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

/** The longest text about one failure. */
export const DETAIL_CHARACTERS = 2000

/** A command that prints metrics. */
export interface MeasuringCommand {
  readonly command: string
  readonly timeoutSeconds: number
}

export type GatesOutcome =
  | { readonly status: 'passed'; readonly runnerMs: number }
  | Exclude<EvaluationOutcome, { status: 'measured' }>

/** Runs the gates in order. The first one that fails ends the measurement. */
export async function passGates(request: EvaluationRequest): Promise<GatesOutcome> {
  let runnerMs = 0
  for (const gate of request.evaluation.gates) {
    const { workspace, isolation } = request
    await removeGateReport(gate, workspace.files, isolation)
    const outcome = await runCommand(request, gate.command, gate.timeoutSeconds)
    runnerMs += outcome.durationMs
    request.onEnd?.(outcome, gate.name)
    if (outcome.status === 'aborted') return { status: 'aborted' }
    const secrets = Object.values(request.passedEnvironment)
    const detail =
      findFault(outcome, secrets) ?? (await findUnmet(gate, { folder: workspace.files, outcome, secrets }))
    if (detail !== undefined) {
      const reason = blame(outcome, 'gate-failed')
      return { status: 'failed', reason, detail: `${gate.name}: ${detail}`, runnerMs }
    }
  }
  return { status: 'passed', runnerMs }
}

/** Runs a measuring command once, and reads its metrics. */
export async function measureOnce(
  request: EvaluationRequest,
  { command, timeoutSeconds }: MeasuringCommand,
): Promise<EvaluationOutcome> {
  // The command writes this file. One that the candidate brought along must not count as its answer.
  const file = metricsFileOf(request)
  if (file !== undefined) await removeMetricsFile(file, request.isolation)
  const outcome = await runCommand(request, command, timeoutSeconds)
  request.onEnd?.(outcome)
  if (outcome.status === 'aborted') return { status: 'aborted' }
  return { ...(await readOutcome(request, outcome)), runnerMs: outcome.durationMs }
}

function metricsFileOf({ workspace, evaluation }: EvaluationRequest): MetricsFile | undefined {
  const path = evaluation.output.file
  return path === undefined ? undefined : { folder: workspace.files, path }
}

async function runCommand(
  request: EvaluationRequest,
  line: string,
  timeoutSeconds: number,
): Promise<GroupOutcome> {
  const { workspace, evaluation, isolation, trusted, programs } = request
  return await runGroup({
    argv: shellArgv(line),
    cwd: workspace.files,
    env: createCommandEnvironment(request),
    timeoutMs: timeoutSeconds * 1000,
    maxOutputBytes: evaluation.maxOutputBytes,
    signal: request.signal,
    owner: request.owner,
    disk: workspace.disk,
    enclosure: isolation && {
      isolation,
      own: workspace.folder,
      readOnly: [trusted, programs],
      layer: workspace.layer,
    },
  })
}

// Not the candidate's fault: a command that the machine could not start or isolate, and a disk that somebody else
// filled.
function blame({ status }: GroupOutcome, own: FailureReason): FailureReason {
  if (status === 'disk-limit') return status
  return status === 'not-started' || status === 'disk-low' ? 'infrastructure' : own
}

type Reading =
  | { readonly status: 'measured'; readonly metrics: Metrics }
  | { readonly status: 'failed'; readonly reason: FailureReason; readonly detail: string }

async function readOutcome(request: EvaluationRequest, outcome: GroupOutcome): Promise<Reading> {
  const secrets = Object.values(request.passedEnvironment)
  const fault = findFault(outcome, secrets)
  if (fault !== undefined) {
    const own = outcome.status === 'timed-out' ? 'evaluation-timed-out' : 'evaluation-failed'
    return { status: 'failed', reason: blame(outcome, own), detail: fault }
  }
  const { output } = request.evaluation
  const location = metricsFileOf(request)
  const file = location && (await readMetricsFile(location, request.evaluation.maxOutputBytes))
  const read = (text: (said: string) => string) =>
    parseMetrics(
      { stdout: text(outcome.stdout), isCut: outcome.isStdoutCut, file: file && text(file) },
      output.form,
      request.neededMetrics[0] ?? '',
      request.neededMetrics,
    )
  const parsed = read((said) => said)
  if (parsed.status === 'read') return keepFinite(parsed.metrics, request.neededMetrics)
  // The reason quotes the output, so it is derived again from the redacted output.
  const shown = read((said) => redactSecrets(said, secrets))
  const { reason } = shown.status === 'read' ? parsed : shown
  const detail = cleanOutput(reason, DETAIL_CHARACTERS, secrets)
  return { status: 'failed', reason: 'output-unreadable', detail }
}

// The state is JSON, which has no NaN. A needed metric that is not finite refuses the candidate; others are dropped.
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

/** Why a command failed, with its redacted output; undefined when it succeeded. */
export function findFault(outcome: GroupOutcome, secrets: readonly string[]): string | undefined {
  if (outcome.status === 'exited' && outcome.exitCode === 0) return undefined
  const said = cleanOutput(`${outcome.stdout}\n${outcome.stderr}`, DETAIL_CHARACTERS, secrets)
  return [describeEnd(outcome), said].filter(Boolean).join('\n')
}

/** How a command ended, in words. */
export function describeEnd(outcome: GroupOutcome): string {
  switch (outcome.status) {
    case 'exited':
      return `exit code ${outcome.exitCode}`
    case 'signalled':
      return `ended by ${outcome.signal}`
    case 'timed-out':
      return 'ran into its time limit'
    case 'not-started':
      return `could not start: ${outcome.reason}`
    case 'disk-limit':
      return `ran into its disk limit: ${outcome.detail}`
    case 'disk-low':
      return `the disk ran low, through no fault of this command: ${outcome.detail}`
    case 'aborted':
      return 'aborted'
  }
}
