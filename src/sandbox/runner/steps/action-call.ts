import { join } from 'node:path'
import type { Frame, JobSession } from '../jobs/job-session.ts'
import { actionVariables } from '../jobs/service-variables.ts'
import type { ActionDefinition, JavascriptRuns } from '../syntax/action-definition.ts'
import { evaluateText, evaluateTexts, type Scope } from '../syntax/evaluate.ts'
import type { StepDefinition } from '../syntax/workflow-definition.ts'
import { type ProcessResult, runStepProcess, type StepCommand } from './step-process.ts'

/** One use of an action by a step. Its `pre`, `main` and `post` share inputs and state. */
export interface ActionCall {
  readonly action: ActionDefinition
  readonly step: StepDefinition
  readonly frame: Frame
  /** What it wrote to `GITHUB_STATE`, passed to its later parts. */
  readonly state: Map<string, string>
}

/** The step's inputs, with the action's defaults. Names are case-insensitive. */
export function readInputs(call: ActionCall, scope: Scope): Record<string, string> {
  const given = evaluateTexts(call.step.with, scope)
  const names = new Map(Object.keys(given).map((name) => [name.toLowerCase(), name]))
  const declared = call.action.inputs.map(({ name, fallback }) => {
    const asGiven = names.get(name.toLowerCase())
    return [name, asGiven === undefined ? evaluateText(fallback, scope) : (given[asGiven] ?? '')] as const
  })
  return { ...given, ...Object.fromEntries(declared) }
}

/** Runs one part of a JavaScript action. */
export async function runJavascript(
  session: JobSession,
  call: ActionCall,
  {
    part,
    inputs,
    command,
  }: {
    part: 'pre' | 'main' | 'post'
    inputs: Readonly<Record<string, string>>
    command: Omit<StepCommand, 'argv' | 'cwd'>
  },
): Promise<ProcessResult> {
  const { box, run, job } = session.request
  const file = partOf(call.action, part)
  const result = await runStepProcess(session, call.frame, {
    ...command,
    argv: [process.execPath, join(call.action.folder, file)],
    cwd: session.folders.workspace,
    env: {
      ...command.env,
      ...prefixed('INPUT_', inputs, (name) => name.replaceAll(' ', '_').toUpperCase()),
      ...prefixed('STATE_', Object.fromEntries(call.state), (name) => name),
      ...actionVariables(box, { runId: run.id, jobId: job.id }),
    },
  })
  for (const [name, value] of result.state) call.state.set(name, value)
  return result
}

function partOf(action: ActionDefinition, part: 'pre' | 'main' | 'post'): string {
  return (action.runs.kind === 'javascript' ? action.runs[part] : undefined) ?? ''
}

function prefixed(
  prefix: string,
  values: Readonly<Record<string, string>>,
  rename: (name: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + rename(name), value]))
}

/** Logs an action's name and inputs. */
export function logCall(session: JobSession, uses: string, inputs: Readonly<Record<string, string>>): void {
  const given = Object.entries(inputs).map(([name, value]) => `  ${name}: ${value}`)
  session.log.write(
    [`##[group]Run ${uses}`, ...(given.length === 0 ? [] : ['with:', ...given]), '##[endgroup]'].join('\n'),
  )
}

export function isJavascript(
  action: ActionDefinition,
): action is ActionDefinition & { runs: JavascriptRuns } {
  return action.runs.kind === 'javascript'
}
