import { createCleanEnvironment } from '../../../process/clean-environment.ts'
import { type GroupOutcome, runGroup } from '../../../process/run-group.ts'
import { githubVariables } from '../jobs/contexts.ts'
import type { Frame, JobSession } from '../jobs/job-session.ts'
import { readEnvFile, StepFiles } from './step-files.ts'
import { StepOutput } from './step-output.ts'

export interface StepCommand {
  readonly argv: readonly string[]
  readonly cwd: string
  /** The step's `env`, and an action's inputs and state. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface ProcessResult {
  readonly outcome: 'success' | 'failure' | 'cancelled'
  readonly outputs: ReadonlyMap<string, string>
  readonly state: ReadonlyMap<string, string>
}

const KILL_GRACE_MS = 5000
const MAX_SUMMARY_CHARS = 1024 * 1024
// Output goes to the log as it comes, so only a little is kept here.
const MAX_KEPT_BYTES = 1024
const MINUTE_MS = 60_000

/** Runs one process of a step, and applies what it prints and writes. */
export async function runStepProcess(
  session: JobSession,
  frame: Frame,
  command: StepCommand,
): Promise<ProcessResult> {
  const files = new StepFiles(session.folders.files)
  await files.create()
  const output = new StepOutput(session.log)
  const ended = await runGroup({
    argv: command.argv,
    cwd: command.cwd,
    env: createEnvironment(session, frame, { ...command.env, ...files.variables }),
    timeoutMs: command.timeoutMs,
    signal: command.signal,
    maxOutputBytes: MAX_KEPT_BYTES,
    killGraceMs: KILL_GRACE_MS,
    owner: session.owner,
    keepsBackground: true,
    onOutput: (chunk, stream) => output.add(chunk, stream),
  })
  output.end()
  const written = await files.take()
  applyEnv(session, written.env)
  session.pathAdditions.unshift(...written.path.split(/\r?\n/).filter(Boolean).reverse())
  if (written.step_summary.trim() !== '') {
    session.summaries.push(session.log.masks.hide(written.step_summary.slice(0, MAX_SUMMARY_CHARS)))
  }
  return {
    outcome: toOutcome(session, ended, command.timeoutMs),
    outputs: new Map([...output.outputs, ...readEnvFile(written.output)]),
    state: new Map([...output.state, ...readEnvFile(written.state)]),
  }
}

function createEnvironment(
  session: JobSession,
  frame: Frame,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const { folders, request } = session
  const runner = Object.entries(session.runner).map(([name, value]) => [
    `RUNNER_${name.toUpperCase()}`,
    value,
  ])
  return createCleanEnvironment({
    path: [...session.pathAdditions, request.path].join(':'),
    home: folders.home,
    temp: folders.temp,
    extra: {
      ...session.env,
      ...frame.env,
      ...extra,
      ...githubVariables(session.github),
      ...(frame.actionPath === undefined ? {} : { GITHUB_ACTION_PATH: frame.actionPath }),
      ...Object.fromEntries(runner),
    },
  })
}

// With NODE_OPTIONS one step could run code inside the next action. GitHub refuses it too.
function applyEnv(session: JobSession, text: string): void {
  for (const [name, value] of readEnvFile(text)) {
    if (/^(NODE_OPTIONS|GITHUB_|RUNNER_)/i.test(name)) {
      session.log.error(`Can't store ${name} output parameter using '$GITHUB_ENV' command.`)
    } else {
      session.env[name] = value
    }
  }
}

function toOutcome(session: JobSession, ended: GroupOutcome, timeoutMs: number): ProcessResult['outcome'] {
  switch (ended.status) {
    case 'exited':
      if (ended.exitCode === 0) return 'success'
      session.log.error(`Process completed with exit code ${ended.exitCode}.`)
      return 'failure'
    case 'aborted':
      session.log.error('The operation was canceled.')
      return 'cancelled'
    case 'timed-out':
      session.log.error(`The action has timed out after ${timeoutMs / MINUTE_MS} minutes.`)
      return 'failure'
    case 'signalled':
      session.log.error(`The process was killed by ${ended.signal}.`)
      return 'failure'
    // Steps have no disk limit, but the switch must stay exhaustive.
    case 'disk-limit':
    case 'disk-low':
      session.log.error(`The process was killed: ${ended.detail}`)
      return 'failure'
    case 'not-started':
      session.log.error(`The process could not be started: ${ended.reason}`)
      return 'failure'
  }
}
