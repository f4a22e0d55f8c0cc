import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Octokit } from '@octokit/rest'
import { expect, it, onTestFinished } from 'vitest'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts'
import { REPO, startReceiver } from './support.ts'

const WORKFLOW =
  'on: workflow_dispatch\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{ run: "true" }]\n'
const REPOSITORY = { name: REPO.repo, files: { '.github/workflows/w.yml': WORKFLOW } }

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ environment: process.env, repositories: [REPOSITORY], ...options })
  onTestFinished(() => sandbox.close())
  return sandbox
}

function clientOf({ apiUrl }: Sandbox, auth: string): Octokit {
  return new Octokit({ baseUrl: apiUrl, auth })
}

it('an App that is installed later receives webhooks and may use its permissions', async () => {
  const receiver = await startReceiver()
  const sandbox = await start()
  const app = await sandbox.installApp({
    slug: 'later',
    permissions: { issues: 'write' },
    events: ['issues'],
    webhookUrl: receiver.url,
    webhookSecret: 'secret',
  })
  await clientOf(sandbox, app.token).rest.issues.create({ ...REPO, title: 'Hello' })
  await sandbox.settled()
  expect(receiver.names()).toEqual(['installation', 'issues'])
  expect(receiver.received[1]?.headers['x-hub-signature-256']).toMatch(/^sha256=/)
  expect(receiver.received[1]?.payload).toMatchObject({ installation: { id: app.installationId } })
  expect(sandbox.malformedRequests).toEqual([])
})

it('runs stay queued without parallel jobs', async () => {
  const sandbox = await start({ parallelJobs: 0 })
  const { token = '' } = sandbox.users.find(({ login }) => login === 'wendy') ?? {}
  const { actions } = clientOf(sandbox, token).rest
  await actions.createWorkflowDispatch({ ...REPO, workflow_id: 'w.yml', ref: 'main' })
  await sandbox.settled()
  const runs = await actions.listWorkflowRunsForRepo(REPO)
  expect(runs.data.workflow_runs).toMatchObject([{ status: 'queued' }])
})

it('a given folder keeps the state for the next start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'loreley-library-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const first = await startSandbox({ environment: process.env, repositories: [REPOSITORY], folder })
  const users = first.users
  await first.close()
  const second = await startSandbox({ environment: process.env, folder })
  const { status } = await clientOf(second, users[0]?.token ?? '').rest.repos.get(REPO)
  await second.close()
  expect({ status, users: second.users }).toEqual({ status: 200, users })
})
