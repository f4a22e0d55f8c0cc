import { constants } from 'node:fs'
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandConfig } from '../../config/campaign-config.ts'
import { cleanText } from '../../core/clean-text.ts'
import { LoreleyError } from '../../errors.ts'
import { createCleanEnvironment } from '../../process/clean-environment.ts'
import { type GroupOutcome, runGroup, shellArgv } from '../../process/run-group.ts'
import type { Agent, AgentTask, CodeOutcome, Health, Plan } from '../agent.ts'
import { renderWork } from '../brief/work.ts'
import { readUsage } from './usage.ts'

export interface CommandOptions {
  readonly config: CommandConfig
  readonly timeoutMs: number
  readonly path: string
  /** The variables of `agent.command.environment` that are set. */
  readonly environment: Readonly<Record<string, string>>
}

const MAX_OUTPUT_BYTES = 256 * 1024
const PLAN_CHARACTERS = 6000

const TO_PLAN =
  '## Now\n\nPrint a short plan in Markdown for one change: the idea in one sentence, then three to six steps with file names. Change nothing.'
const TO_CODE =
  '## Now\n\nMake one change in this folder, which holds the parent. What you leave in the files is the result. At the end, print one line of at most 72 characters that says what you changed.'

/** An agent that runs a command, such as a coding tool or a script. The edited folder is its answer. */
export function createCommandAgent(options: CommandOptions): Agent {
  const { config } = options

  async function plan(task: AgentTask): Promise<Plan> {
    if (config.plan === undefined) return { text: '' }
    const prompt = `${await renderWork(task, { text: '' })}\n${TO_PLAN}`
    const { stdout } = await runWith(options, { line: config.plan, prompt }, task)
    return { text: cleanText(stdout, PLAN_CHARACTERS) }
  }

  async function code(task: AgentTask, plan: Plan): Promise<CodeOutcome> {
    const prompt = `${await renderWork(task, plan)}\n${TO_CODE}`
    const { stdout } = await runWith(options, { line: config.code, prompt }, task)
    const lines = cleanText(stdout, stdout.length).split('\n')
    // Git decides whether anything changed: we do not trust what a tool prints.
    return { status: 'changed', summary: lines.findLast((line) => line.trim() !== '')?.trim() ?? '' }
  }

  const secrets = Object.values(options.environment)
  return {
    ...{ name: 'command', secrets, canRework: true, runsPrograms: true, plan, code },
    checkHealth: () => checkHealth(options),
  }
}

async function runWith(
  options: CommandOptions,
  { line, prompt }: { readonly line: string; readonly prompt: string },
  task: AgentTask,
): Promise<GroupOutcome> {
  const { workspace, transcript, meter } = task
  const scratch = join(workspace.scratch, 'agent')
  const files = { brief: join(scratch, 'brief.md'), usage: join(scratch, 'usage.json') }
  await mkdir(join(scratch, 'home'), { recursive: true })
  await writeFile(files.brief, prompt)
  await rm(files.usage, { force: true })
  transcript.add('brief for the command', prompt)
  const outcome = await runGroup({
    argv: shellArgv(line),
    cwd: workspace.folder,
    env: createCleanEnvironment({
      path: options.path,
      home: join(scratch, 'home'),
      temp: workspace.scratch,
      extra: { LORELEY_BRIEF: files.brief, LORELEY_USAGE: files.usage, ...options.environment },
    }),
    timeoutMs: options.timeoutMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    stdin: options.config.brief === 'stdin' ? prompt : '',
    signal: task.signal,
    owner: workspace.owner,
    disk: workspace.disk,
  })
  transcript.add('output of the command', `${outcome.stdout}\n${outcome.stderr}`)
  const call = readUsage(await readFile(files.usage, 'utf8').catch(() => ''))
  if (call !== undefined) meter.add(call)
  task.signal.throwIfAborted()
  if (outcome.status === 'exited' && outcome.exitCode === 0) return outcome
  throw broken(line, outcome)
}

function describeEnd(outcome: GroupOutcome): string {
  if (outcome.status === 'exited') return `exit code ${outcome.exitCode}`
  if (outcome.status === 'not-started') return outcome.reason
  return 'detail' in outcome ? `${outcome.status} (${outcome.detail})` : outcome.status
}

function broken(line: string, outcome: GroupOutcome): LoreleyError {
  const said = cleanText(`${outcome.stdout}\n${outcome.stderr}`, 500)
  return new LoreleyError(
    'agent-unavailable',
    `The agent's command (${line.slice(0, 80)}) ended with ${describeEnd(outcome)}: ${said}`,
    'Run the command by hand in a clone. To pass variables on to it, list them in agent.command.environment.',
  )
}

async function checkHealth({ config, path, environment }: CommandOptions): Promise<Health[]> {
  const programs = [config.code, ...(config.plan === undefined ? [] : [config.plan])]
  const found = await Promise.all(programs.map((line) => findProgram(line, path)))
  return [
    ...found,
    ...config.environment.map((name) => ({
      what: `variable ${name}`,
      ok: environment[name] !== undefined,
      detail: environment[name] === undefined ? 'is not set' : 'is set',
    })),
  ]
}

// Words that may precede the program in a shell line: variable assignments and these.
const BEFORE = /^(?:\s*(?:[A-Za-z_][A-Za-z0-9_]*=\S*|exec|env|npx|time)\s+)*/

/** Whether the program at the start of a shell line can be found. */
async function findProgram(line: string, path: string): Promise<Health> {
  const name = line.replace(BEFORE, '').match(/^[^\s;|&<>()]+/)?.[0] ?? line
  const what = `program ${name}`
  // A path is looked up in the candidate's folder, which does not exist yet.
  if (name.includes('/')) return { what, ok: true, detail: 'is a path in the repository (not checked)' }
  for (const folder of path.split(':').filter((each) => each !== '')) {
    const file = join(folder, name)
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return { what, ok: true, detail: `is ${file}` }
  }
  return { what, ok: false, detail: 'is not in PATH' }
}
