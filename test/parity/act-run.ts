import { execFile, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { issueJobToken } from '../../src/sandbox/actions/actions-app.ts'
import { type Run, runs } from '../../src/sandbox/actions/documents.ts'
import { queueJob, startJob } from '../../src/sandbox/actions/runs/jobs.ts'
import { actionVariables, serverVariables } from '../../src/sandbox/runner/jobs/service-variables.ts'
import type { RepositoryDocument } from '../../src/sandbox/state/documents.ts'
import type { TestBox } from '../sandbox/support.ts'
import { readActLog } from './act-log.ts'
import { dispatchCase, readArtifacts, startCaseBox } from './case-box.ts'
import type { Case } from './cases.ts'
import type { Seen } from './differences.ts'

const STAND_INS = fileURLToPath(new URL('../../dist/sandbox/runner/stand-ins', import.meta.url))
const STANDARD_ACTIONS = ['checkout', 'upload-artifact', 'download-artifact'].flatMap((name) =>
  ['v4', 'v5'].map((ref) => [`actions/${name}@${ref}`, standInFor(name)] as const),
)

/** The folder of the stand-in for one of GitHub's own actions. */
export function standInFor(name: string): string {
  return join(STAND_INS, 'actions', name)
}

/** A queued run of the sandbox for act to execute. */
export interface ActRequest {
  readonly box: TestBox
  readonly repo: RepositoryDocument
  readonly runId: number
  /** An empty folder. */
  readonly folder: string
  readonly workflow: string
  /** The `runs-on` label of the jobs. */
  readonly machine: string
  readonly secrets: Readonly<Record<string, string>>
  /** The folder of each action, by `owner/repository@ref`. */
  readonly actions: readonly (readonly [uses: string, folder: string])[]
}

interface Ended {
  readonly stdout: string
  readonly exitCode: number | null
}

/** Runs a case under act in host mode. The sandbox provides git, API and artifacts. */
export async function runUnderAct(act: string, one: Case, folder: string): Promise<Seen> {
  const { box, repo } = await startCaseBox(one)
  const runId = await dispatchCase(box)
  const { secrets, jobs: expected } = one.expected
  const request = { box, repo, runId, folder, secrets, workflow: 'w.yml', machine: 'ubuntu-latest' }
  const ended = await executeByAct(act, { ...request, actions: STANDARD_ACTIONS })
  const { jobs, logs } = readActLog(ended.stdout, Object.keys(expected))
  const conclusion = ended.exitCode === 0 ? 'success' : 'failure'
  return { conclusion, title: undefined, jobs, logs, artifacts: await readArtifacts(box, runId) }
}

/** Lets act execute a run of the sandbox. */
export async function executeByAct(act: string, request: ActRequest): Promise<Ended> {
  const { box, repo, runId, folder } = request
  const run = runs(box.box.store).find(runId)
  if (run === undefined) throw new Error('the run was not recorded')
  // act has one token and one artifact scope for all jobs, so one job of the sandbox represents them all.
  const job = await queueJob(box.box, run, { name: 'act', labels: [] })
  await startJob(box.box, job.id, 'act')
  const permissions = { actions: 'read', contents: 'read' } as const
  const { token } = await issueJobToken(box.box, repo, { runId, permissions })
  await prepare(folder, box, run)
  const variables = {
    ...serverVariables(box.box),
    ...actionVariables(box.box, { runId, jobId: job.id }),
    GITHUB_REPOSITORY: 'acme/demo',
    GITHUB_RUN_ID: String(runId),
    GITHUB_RUN_ATTEMPT: String(run.attempt),
  }
  const secrets = { ...request.secrets, GITHUB_TOKEN: token }
  return await start(act, actArguments(request, { secrets, variables }), folder)
}

async function prepare(folder: string, box: TestBox, run: Run): Promise<void> {
  await mkdir(join(folder, 'home'))
  await writeFile(join(folder, 'event.json'), JSON.stringify(run.payload))
  await promisify(execFile)('git', ['clone', '--quiet', `${box.url}/acme/demo`, join(folder, 'work')])
}

function actArguments(
  { folder, workflow, machine, actions }: ActRequest,
  told: {
    readonly secrets: Readonly<Record<string, string>>
    readonly variables: Readonly<Record<string, string>>
  },
): string[] {
  const each = (flag: string, values: Readonly<Record<string, string>>): string[] =>
    Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`])
  return [
    'workflow_dispatch',
    '--json',
    ...['--directory', join(folder, 'work'), '--workflows', `.github/workflows/${workflow}`],
    ...['--eventpath', join(folder, 'event.json'), '--actor', 'wendy'],
    ...['--platform', `${machine}=-self-hosted`, '--no-skip-checkout'],
    ...['--action-offline-mode', '--no-cache-server', '--action-cache-path', join(folder, 'cache')],
    ...each('--secret', told.secrets),
    ...each('--env', told.variables),
    ...each('--local-repository', Object.fromEntries(actions)),
  ]
}

async function start(act: string, args: readonly string[], folder: string): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? '', HOME: join(folder, 'home') }
  const child = spawn(act, [...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exitCode = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return { stdout: await text(child.stdout), exitCode: await exitCode }
}
