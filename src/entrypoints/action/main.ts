import { rm } from 'node:fs/promises'
import { error as annotate, getInput, info, setFailed, setSecret, summary } from '@actions/core'
import { NO_USAGE } from '../../core/budget.ts'
import { type ActionInputs, parseActionInputs } from '../../protocol/action-inputs.ts'
import type { ResultDocument } from '../../protocol/result.ts'
import { createResult, infrastructureFailure, writeResult } from './documents.ts'
import { openMachine, type RunnerMachine } from './runner.ts'
import { sayForeign } from './say.ts'
import type { Learned } from './step.ts'
import { renderSummary } from './summary.ts'

const CUT_OFF = new Error('The job ended before this step did: it was cancelled, or out of time.')

/** Runs the step that the workflow asks for. Whatever happens, a result is left that says what. */
async function main(): Promise<void> {
  const inputs = parseActionInputs(getInput)
  const token = getInput('token')
  if (token !== '') setSecret(token)
  const machine = await openMachine(process.env)
  const learned: Learned = { attempt: 1, spent: NO_USAGE, logs: [] }
  const resultOf = (outcome: ResultDocument['outcome']): ResultDocument =>
    createResult(inputs.order, learned, outcome, machine.facts)
  // If the job is cut off in the middle, this is what the upload step finds.
  await writeResult(machine, resultOf(infrastructureFailure(CUT_OFF)))
  try {
    const outcome = await runStep(machine, inputs, token, learned)
    if (outcome !== undefined) await tell(machine, resultOf(outcome))
  } catch (error) {
    const failure = infrastructureFailure(error)
    await tell(machine, resultOf(failure))
    annotate(failure.detail, { title: `Loreley: ${failure.code}` })
    setFailed('This run failed, not the candidate. See the summary.')
  } finally {
    await rm(machine.place, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined)
  }
}

async function runStep(
  machine: RunnerMachine,
  { step, order, proposal }: ActionInputs,
  token: string,
  learned: Learned,
): Promise<ResultDocument['outcome'] | undefined> {
  const startedMs = performance.now()
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(CUT_OFF))
  // Loaded when the inputs are good, and only what the step needs.
  const { openOrder } = await import('./open-order.ts')
  const runOf =
    step === 'propose'
      ? (await import('./propose-step.ts')).runPropose
      : (await import('./evaluate-step.ts')).runEvaluate
  const opened = await openOrder(machine, order, token)
  learned.attempt = opened.job?.attempt ?? 1
  const run = { machine, order, proposal, opened, signal: stop.signal, startedMs, learned }
  try {
    return await runOf(run)
  } finally {
    await opened.git.close()
  }
}

async function tell(machine: RunnerMachine, document: ResultDocument): Promise<void> {
  await writeResult(machine, document)
  await summary.addRaw(renderSummary(document)).write({ overwrite: true })
  const { outcome } = document
  info(`outcome: ${outcome.status}${outcome.status === 'failed' ? ` (${outcome.reason})` : ''}`)
  if (outcome.status === 'failed') sayForeign('What was said', outcome.detail)
}

try {
  await main()
} catch (error) {
  setFailed(infrastructureFailure(error).detail)
}
