import { execFile, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { issueJobToken } from '../../src/sandbox/actions/actions-app.ts'
import { type Run, runs } from '../../src/sandbox/actions/documents.ts'
import { queueJob, startJob } from '../../src/sandbox/actions/jobs.ts'
import { actionVariables, serverVariables } from '../../src/sandbox/runner/service-variables.ts'
import type { TestBox } from '../sandbox/support.ts'
import { readActLog } from './act-log.ts'
import { dispatchCase, readArtifacts, startCaseBox } from './case-box.ts'
import type { Case } from './cases.ts'
import type { Seen } from './differences.ts'

const STAND_INS = fileURLToPath(new URL('../../dist/sandbox/runner/stand-ins', import.meta.url))
const ACTIONS = ['checkout', 'upload-artifact', 'download-artifact'].flatMap((name) =>
  ['v4', 'v5'].map((ref) => ({ uses: `actions/${name}@${ref}`, folder: join(STAND_INS, 'actions', name) })),
)

/** Runs a case under act in host mode: git, API and artifacts are the box's, the execution is not. */
export async function runUnderAct(act: string, one: Case, place: string): Promise<Seen> {
  const { box, repo } = await startCaseBox(one)
  const run = runs(box.box.store).find(await dispatchCase(box))
  if (run === undefined) throw new Error('the run was not recorded')
  // act has one token and one artifact scope for all jobs, so one job of the box stands for all of them.
  const job = await queueJob(box.box, run, { name: 'act', labels: [] })
  await startJob(box.box, job.id, 'act')
  const permissions = { actions: 'read', contents: 'read' } as const
  const { token } = await issueJobToken(box.box, repo, { runId: run.id, permissions })
  await prepare(place, box, run)
  const secrets = { ...one.expected.secrets, GITHUB_TOKEN: token }
  const variables = {
    ...serverVariables(box.box),
    ...actionVariables(box.box, { runId: run.id, jobId: job.id }),
    GITHUB_REPOSITORY: 'acme/demo',
    GITHUB_RUN_ID: String(run.id),
    GITHUB_RUN_ATTEMPT: String(run.attempt),
  }
  const ended = await start(act, actArguments(place, { secrets, variables }), place)
  const { jobs, logs } = readActLog(ended.stdout, Object.keys(one.expected.jobs))
  const conclusion = ended.exitCode === 0 ? 'success' : 'failure'
  return { conclusion, title: undefined, jobs, logs, artifacts: await readArtifacts(box, run.id) }
}

async function prepare(place: string, box: TestBox, run: Run): Promise<void> {
  await mkdir(join(place, 'home'))
  await writeFile(join(place, 'event.json'), JSON.stringify(run.payload))
  await promisify(execFile)('git', ['clone', '--quiet', `${box.url}/acme/demo`, join(place, 'work')])
}

function actArguments(
  place: string,
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
    ...['--directory', join(place, 'work'), '--workflows', '.github/workflows/w.yml'],
    ...['--eventpath', join(place, 'event.json'), '--actor', 'wendy'],
    ...['--platform', 'ubuntu-latest=-self-hosted', '--no-skip-checkout'],
    ...['--action-offline-mode', '--no-cache-server', '--action-cache-path', join(place, 'cache')],
    ...each('--secret', told.secrets),
    ...each('--env', told.variables),
    ...ACTIONS.flatMap(({ uses, folder }) => ['--local-repository', `${uses}=${folder}`]),
  ]
}

async function start(
  act: string,
  args: readonly string[],
  place: string,
): Promise<{ readonly stdout: string; readonly exitCode: number | null }> {
  const env = { PATH: process.env.PATH ?? '', HOME: join(place, 'home') }
  const child = spawn(act, [...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exitCode = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return { stdout: await text(child.stdout), exitCode: await exitCode }
}
