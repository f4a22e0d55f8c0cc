import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { issueJobToken } from '../../../src/sandbox/actions/actions-app.ts'
import { queueJob, startJob } from '../../../src/sandbox/actions/runs/jobs.ts'
import { actionVariables, serverVariables } from '../../../src/sandbox/runner/jobs/service-variables.ts'
import { findStandIn, parseActionReference } from '../../../src/sandbox/runner/steps/action-folders.ts'
import { findRepository } from '../../../src/sandbox/state/lookups.ts'
import { dispatched, FILES, JOB } from '../actions/actions-support.ts'
import { REPO, type TestBox } from '../support.ts'

export interface StepOutcome {
  readonly exitCode: number
  readonly log: string
  readonly outputs: Readonly<Record<string, string>>
  readonly state: Readonly<Record<string, string>>
}

export interface JobWorkspace {
  readonly box: TestBox
  readonly runId: number
  readonly workspace: string
  /** Runs a stand-in with its declared defaults, as a step of the job does. */
  step(uses: string, inputs?: Readonly<Record<string, string>>): Promise<StepOutcome>
  /** Runs its `post` with the state that its `main` saved. */
  post(uses: string, state: Readonly<Record<string, string>>): Promise<StepOutcome>
  git(...args: string[]): Promise<string>
}

/** A running job on a sandbox with these files, with its own workspace. */
export async function startJobWorkspace(files: Readonly<Record<string, string>> = {}): Promise<JobWorkspace> {
  const { box, run } = await dispatched({ files: { ...FILES, ...files }, private: true })
  const job = await queueJob(box.box, run, JOB)
  await startJob(box.box, job.id, 'here')
  const home = await mkdtemp(join(tmpdir(), 'loreley-stand-in-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const workspace = join(home, 'work')
  await mkdir(workspace)
  const repo = findRepository(box.box.store, REPO.owner, REPO.repo)
  if (repo === undefined) throw new Error('there is no repository')
  const { token } = await issueJobToken(box.box, repo, { runId: run.id, permissions: { contents: 'read' } })
  const variables = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    GITHUB_OUTPUT: join(home, 'output'),
    GITHUB_STATE: join(home, 'state'),
    GITHUB_WORKSPACE: workspace,
    GITHUB_REPOSITORY: 'acme/demo',
    GITHUB_REF: run.ref,
    GITHUB_SHA: run.headSha,
    GITHUB_RUN_ID: String(run.id),
    ...serverVariables(box.box),
    ...actionVariables(box.box, { runId: run.id, jobId: job.id }),
  }
  const context = { ...variables, GITHUB_TOKEN: token }
  const stepContext = { workspace, variables, context }
  return {
    box,
    runId: run.id,
    workspace,
    step: (uses, inputs = {}) => runPart(stepContext, { uses, part: 'main', inputs }),
    post: (uses, state) => runPart(stepContext, { uses, part: 'post', inputs: {}, state }),
    git: async (...args) => (await start('git', ['-C', workspace, ...args], variables)).log.trim(),
  }
}

interface Part {
  readonly uses: string
  readonly part: 'main' | 'post'
  readonly inputs: Readonly<Record<string, string>>
  readonly state?: Readonly<Record<string, string>>
}

interface StepContext {
  readonly workspace: string
  readonly variables: Readonly<Record<string, string>>
  /** The value of `${{ github.… }}`, by the corresponding variable. */
  readonly context: Readonly<Record<string, string>>
}

async function runPart({ workspace, variables, context }: StepContext, wanted: Part): Promise<StepOutcome> {
  const reference = parseActionReference(wanted.uses)
  const folder = reference === undefined ? undefined : findStandIn(reference)
  if (folder === undefined) throw new Error(`there is no stand-in for ${wanted.uses}; has the build run?`)
  const action = parse(readFileSync(join(folder, 'action.yml'), 'utf8'))
  const inputs = { ...readDefaults(action.inputs, context), ...wanted.inputs }
  const { GITHUB_OUTPUT: output = '', GITHUB_STATE: state = '' } = variables
  await Promise.all([writeFile(output, ''), writeFile(state, '')])
  const told = {
    ...variables,
    ...named(inputs, (name) => `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`),
    ...named(wanted.state ?? {}, (name) => `STATE_${name}`),
  }
  const ended = await start(process.execPath, [join(folder, action.runs[wanted.part])], told, workspace)
  return { ...ended, outputs: readPairs(output), state: readPairs(state) }
}

function readDefaults(
  declared: Readonly<Record<string, { readonly default?: string }>>,
  context: Readonly<Record<string, string>>,
): Record<string, string> {
  const pairs = Object.entries(declared).map(([name, input]) => {
    const text = input.default ?? ''
    const value = text.replace(
      /\$\{\{ github\.(\w+) \}\}/,
      (_, key: string) => context[`GITHUB_${key.toUpperCase()}`] ?? '',
    )
    return [name, value] as const
  })
  return Object.fromEntries(pairs)
}

function named(
  values: Readonly<Record<string, string>>,
  name: (key: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [name(key), value]))
}

function readPairs(file: string): Record<string, string> {
  const text = readFileSync(file, 'utf8')
  const pairs = [...text.matchAll(/^(.+?)<<(\S+)\n([\s\S]*?)\n\2$/gm)]
  return Object.fromEntries(pairs.map(([, name = '', , value = '']) => [name, value]))
}

async function start(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<{ exitCode: number; log: string }> {
  return await new Promise((resolve) => {
    execFile(
      command,
      [...args],
      { env: { ...environment }, ...(cwd === undefined ? {} : { cwd }) },
      (error, stdout, stderr) => {
        resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), log: `${stdout}${stderr}` })
      },
    )
  })
}

/** Writes files into a folder. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
}
