import { LoreleyError } from '../../../errors.ts'
import type { Frame, JobSession, Outcome } from '../jobs/job-session.ts'
import { evaluate, evaluateCondition, evaluateText, evaluateTexts } from '../syntax/evaluate.ts'
import { Expression, type Template } from '../syntax/template.ts'
import type { StepDefinition } from '../syntax/workflow-definition.ts'
import { type ActionCall, isJavascript, logCall, readInputs, runJavascript } from './action-call.ts'
import { findAction } from './find-action.ts'
import { runScript } from './script-step.ts'
import type { ProcessResult, StepCommand } from './step-process.ts'

const MINUTE_MS = 60_000
const DEFAULT_TIMEOUT_MINUTES = 360
const MAX_DEPTH = 10

/** Action calls prepared before the first step, because their actions may have a `pre`. */
export type PreparedCalls = ReadonlyMap<StepDefinition, ActionCall>

/** Runs the steps in sequence. Each is skipped if its condition does not hold. */
async function runSteps(session: JobSession, frame: Frame, steps: readonly StepDefinition[]): Promise<void> {
  for (const step of steps) await runStep(session, frame, step)
}

/** Runs one step and records its result in the frame. */
export async function runStep(
  session: JobSession,
  frame: Frame,
  step: StepDefinition,
  prepared: PreparedCalls = new Map(),
): Promise<Outcome> {
  let result: ProcessResult | undefined
  const outcome = await attempt(session, async () => {
    if (!evaluateCondition(step.condition, session.scope(frame))) return 'skipped'
    const isStillWanted = (): boolean => evaluateCondition(step.condition, session.scope(frame))
    result = await session.request.cancellation.guard(isStillWanted, (signal) =>
      perform(session, frame, { step, signal, prepared: prepared.get(step) }),
    )
    return result.outcome
  })
  const forgiven = outcome === 'failure' && isSet(session, frame, step.continueOnError)
  const conclusion = forgiven ? 'success' : outcome
  if (step.id !== undefined) {
    frame.results[step.id] = { outputs: Object.fromEntries(result?.outputs ?? []), outcome, conclusion }
  }
  if (conclusion === 'failure') frame.status = 'failure'
  return conclusion
}

/** Turns an error in the workflow into a failed step and logs it. */
export async function attempt(session: JobSession, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof LoreleyError)) throw error
    session.log.error(error.message)
    return 'failure'
  }
}

function isSet(session: JobSession, frame: Frame, flag: Template | undefined): boolean {
  return flag !== undefined && evaluate(flag, session.scope(frame)) === true
}

interface Performance {
  readonly step: StepDefinition
  readonly signal: AbortSignal
  readonly prepared: ActionCall | undefined
}

async function perform(
  session: JobSession,
  frame: Frame,
  { step, signal, prepared }: Performance,
): Promise<ProcessResult> {
  const env = evaluateTexts(step.env, session.scope(frame))
  const scope = session.scope(frame, env)
  const minutes = Number(evaluateText(step.timeoutMinutes, scope) || DEFAULT_TIMEOUT_MINUTES)
  const command = { env, signal, timeoutMs: minutes * MINUTE_MS }
  if (step.uses === undefined) return await runScript(session, frame, { step, scope, command })
  const call = prepared ?? {
    action: await findAction(session, step.uses),
    step,
    frame,
    state: new Map<string, string>(),
  }
  const inputs = readInputs(call, scope)
  logCall(session, step.uses, inputs)
  if (!isJavascript(call.action)) return await runComposite(session, call, { env, inputs })
  planPost(session, call, { inputs, command })
  return await runJavascript(session, call, { part: 'main', inputs, command })
}

// Planned before `main` runs, so that `post` can clean up even if `main` fails.
function planPost(
  session: JobSession,
  call: ActionCall,
  { inputs, command }: { inputs: Record<string, string>; command: Omit<StepCommand, 'argv' | 'cwd'> },
): void {
  const { action, step, frame } = call
  if (!isJavascript(action) || action.runs.post === undefined) return
  const condition = action.runs.postCondition ?? 'always()'
  session.posts.push({
    name: `Post ${stepName(session, frame, step)}`,
    run: async () => {
      const isWanted = (): boolean => evaluateCondition(condition, session.scope(frame))
      if (!isWanted()) return 'skipped'
      const { cancellation } = session.request
      const result = await cancellation.guard(isWanted, (signal) =>
        runJavascript(session, call, { part: 'post', inputs, command: { ...command, signal } }),
      )
      return result.outcome
    },
  })
}

async function runComposite(
  session: JobSession,
  call: ActionCall,
  { env, inputs }: { env: Record<string, string>; inputs: Record<string, string> },
): Promise<ProcessResult> {
  const { action, frame } = call
  if (action.runs.kind !== 'composite') throw new Error('only composite actions come here')
  if (frame.depth >= MAX_DEPTH) {
    throw new LoreleyError('workflow-invalid', 'Actions are nested too deeply.', 'Use at most ten levels.')
  }
  const inner: Frame = {
    status: 'success',
    results: {},
    env: { ...frame.env, ...env },
    inputs,
    actionPath: action.folder,
    depth: frame.depth + 1,
  }
  await runSteps(session, inner, action.runs.steps)
  const scope = session.scope(inner)
  const outputs = new Map(
    action.outputs.map(({ name, value }) => [name, evaluateText(value, scope)] as const),
  )
  const outcome = session.request.cancellation.isRequested ? 'cancelled' : inner.status
  return { outcome, outputs, state: new Map() }
}

/** The displayed name of a step: its `name`, or what it runs. */
export function stepName(session: JobSession, frame: Frame, step: StepDefinition): string {
  if (step.name === undefined && step.uses !== undefined) return `Run ${step.uses}`
  const text = tryText(session, frame, step.name ?? step.run)
  return step.name === undefined ? `Run ${text.trim().split('\n')[0] ?? ''}` : text
}

// A bad expression is reported when the step runs, not when it is named.
function tryText(session: JobSession, frame: Frame, template: Template | undefined): string {
  try {
    return session.log.masks.hide(evaluateText(template, session.scope(frame)))
  } catch (error) {
    if (!(error instanceof LoreleyError)) throw error
    return template instanceof Expression ? template.text : String(template)
  }
}
