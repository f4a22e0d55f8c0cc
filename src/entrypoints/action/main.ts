import { error as annotate, getInput, info, setFailed, setSecret, warning } from '@actions/core'
import { NO_USAGE } from '../../core/budget/budget.ts'
import { LoreleyError } from '../../errors.ts'
import { removeFolder } from '../../process/disk/remove-folder.ts'
import {
  type ActionInputs,
  type EarlierSteps,
  nameRun,
  parseActionInputs,
} from '../../protocol/action-inputs.ts'
import type { ResultDocument, ResultOutcome } from '../../protocol/result.ts'
import { createResult, infrastructureFailure, writeResult } from './documents.ts'
import { openMachine, type RunnerMachine } from './runner.ts'
import { sayForeign } from './say.ts'
import type { Learned } from './step.ts'
import { renderSummary, showPage } from './summary.ts'

const CUT_OFF = new Error('The job ended before this step did: it was cancelled, or out of time.')
const NOT_HANDED_ON = new LoreleyError(
  'step-failed',
  'A proposal was made, but the step that should hand it on failed.',
  'Its log says why. Often no storage for artifacts is left.',
)

/** Runs the step that the workflow asks for. Always leaves a result that says what happened. */
async function main(): Promise<void> {
  const startedMs = performance.now()
  const token = getInput('token')
  if (token !== '') setSecret(token)
  const machine = await openMachine(process.env)
  const learned: Learned = { attempt: 1, spent: NO_USAGE, logs: [], secrets: [] }
  const name = nameRun(getInput)
  const resultOf = (outcome: ResultOutcome): ResultDocument => {
    // The time was spent, however the step ends.
    const spent = { ...learned.spent, runnerMs: Math.round(performance.now() - startedMs) }
    return createResult(name, { ...learned, spent }, outcome, machine.facts)
  }
  // If the job is killed, the upload step finds this result.
  await writeResult(machine, resultOf(infrastructureFailure(CUT_OFF)))
  try {
    const inputs = parseActionInputs(getInput)
    assertWell(inputs.earlier)
    const outcome = await runStep(machine, inputs, { token, learned, startedMs })
    // A proposal gets its result in the second job. This one is read only when the hand-over fails.
    if (outcome === undefined) await writeResult(machine, resultOf(infrastructureFailure(NOT_HANDED_ON)))
    else await tell(machine, resultOf(outcome))
    if (outcome?.status === 'failed' && outcome.code !== undefined) failRun(outcome)
    if (inputs.dispatch.kind === 'validate' && outcome?.status === 'failed') failValidation(outcome)
  } catch (error) {
    const failure = infrastructureFailure(error, learned.secrets)
    await tell(machine, resultOf(failure))
    failRun(failure)
  } finally {
    await removeFolder(machine.folder).catch(() => undefined)
  }
}

function failRun({ detail, code }: Extract<ResultOutcome, { status: 'failed' }>): void {
  annotate(detail, { title: `Loreley: ${code}` })
  setFailed('This run failed, not the candidate. See the summary.')
}

// The workflow starts our step even after a broken one, so that the result can name the broken step.
function assertWell({ status, failed }: EarlierSteps): void {
  if (status === 'success') return
  if (status === 'cancelled') throw CUT_OFF
  const which = failed.length > 0 ? `: ${failed.join(', ')}` : ', one of your own set-up'
  throw new LoreleyError(
    'step-failed',
    `A step before this one failed${which}.`,
    'Its log says why. Nothing was proposed or measured.',
  )
}

interface Under {
  readonly token: string
  readonly learned: Learned
  readonly startedMs: number
}

async function runStep(
  machine: RunnerMachine,
  { step, dispatch, proposal }: ActionInputs,
  { token, learned, startedMs }: Under,
): Promise<ResultOutcome | undefined> {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(CUT_OFF))
  // Load code only after the inputs were checked, and only what this step needs.
  const { openJob } = await import('./open-job.ts')
  const runOf =
    step === 'propose'
      ? (await import('./propose-step.ts')).runPropose
      : (await import('./evaluate-step.ts')).runEvaluate
  const opened = await openJob(machine, dispatch, token)
  learned.attempt = opened.job?.attempt ?? 1
  const run = { machine, dispatch, proposal, opened, signal: stop.signal, startedMs, learned }
  try {
    return await runOf(run)
  } finally {
    await opened.git.close()
  }
}

async function tell(machine: RunnerMachine, document: ResultDocument): Promise<void> {
  await writeResult(machine, document)
  await showPage(renderSummary(document))
  const { outcome } = document
  info(`outcome: ${outcome.status}${outcome.status === 'failed' ? ` (${outcome.reason})` : ''}`)
  if (outcome.status === 'measured' && outcome.noise?.tooNoisy !== undefined)
    warning(`${outcome.noise.tooNoisy}.`, { title: 'Loreley: the evaluator is too noisy' })
  if (outcome.status === 'failed') sayForeign('What was said', outcome.detail)
}

// The App reads a candidate's result. A person reads a validation, and a green run would say that all is well.
function failValidation({ reason, detail }: Extract<ResultOutcome, { status: 'failed' }>): void {
  annotate(detail, { title: `Loreley: ${reason}` })
  setFailed('The evaluation does not work on this runner. See the summary.')
}

try {
  await main()
} catch (error) {
  setFailed(infrastructureFailure(error).detail)
}
