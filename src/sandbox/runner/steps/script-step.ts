import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Frame, JobSession } from '../jobs/job-session.ts'
import { evaluateText, type Scope } from '../syntax/evaluate.ts'
import type { Template } from '../syntax/template.ts'
import type { StepDefinition } from '../syntax/workflow-definition.ts'
import { type ProcessResult, runStepProcess, type StepCommand } from './step-process.ts'

/** GitHub's command lines. `{0}` is the script file. An explicit `bash` is stricter than the default one. */
const SHELLS: Readonly<Record<string, string>> = {
  '': 'bash -e {0}',
  bash: 'bash --noprofile --norc -eo pipefail {0}',
  sh: 'sh -e {0}',
  python: 'python {0}',
}

/** Runs the script of a `run` step. */
export async function runScript(
  session: JobSession,
  frame: Frame,
  {
    step,
    scope,
    command,
  }: { step: StepDefinition; scope: Scope; command: Omit<StepCommand, 'argv' | 'cwd'> },
): Promise<ProcessResult> {
  const script = evaluateText(step.run, scope)
  const shell = evaluateText(step.shell ?? defaultOf(session, frame, 'shell'), scope)
  const folder = evaluateText(step.workingDirectory ?? defaultOf(session, frame, 'working-directory'), scope)
  const line = SHELLS[shell] ?? shell
  const file = join(session.folders.temp, `${randomUUID()}.sh`)
  await writeFile(file, script, { mode: 0o700 })
  logStart(session, { script, line, env: command.env })
  return await runStepProcess(session, frame, {
    ...command,
    argv: line.split(/\s+/).map((word) => word.replaceAll('{0}', file)),
    cwd: resolve(session.folders.workspace, folder),
  })
}

// A composite action names its own shells.
function defaultOf(session: JobSession, frame: Frame, name: string): Template | undefined {
  if (frame.depth > 0) return undefined
  const { definition, workflow } = session.request
  return definition.defaults.find(name) ?? workflow.defaults.find(name)
}

function logStart(
  session: JobSession,
  { script, line, env }: { script: string; line: string; env: Readonly<Record<string, string>> },
): void {
  const variables = Object.entries({ ...session.env, ...env }).map(([name, value]) => `  ${name}: ${value}`)
  const lines = [
    `##[group]Run ${script.trim().split('\n')[0] ?? ''}`,
    ...script.trimEnd().split('\n'),
    `shell: ${line}`,
    ...(variables.length === 0 ? [] : ['env:', ...variables]),
    '##[endgroup]',
  ]
  session.log.write(lines.join('\n'))
}
