import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createGitEnvironment } from '../git/command.ts'
import type { Box } from './box.ts'
import { getContract } from './contract/contract.ts'
import { FAMILIES } from './families.ts'
import { isoTime } from './format.ts'
import { BareRepositories } from './git/bare-repositories.ts'
import { PRE_RECEIVE_HOOK } from './git/pre-receive.ts'
import { ApiServer } from './http/api-server.ts'
import { Chance } from './http/chance.ts'
import { RequestFaults } from './http/faults.ts'
import { Limits } from './http/limits.ts'
import { dispatch, listen } from './http/listen.ts'
import { type RunnerOptions, WorkflowRunner } from './runner/workflow-runner.ts'
import { fillBox, type Seed } from './seed.ts'
import { createSettings, type Settings } from './settings.ts'
import { type App, apps, tokens, users } from './state/documents.ts'
import { Store } from './state/store.ts'
import { Deliverer } from './webhooks/deliverer.ts'

export interface BoxOptions {
  /** Holds the state. Continues the one that is there. */
  readonly folder: string
  /** 0 takes any free port. */
  readonly port?: number
  readonly host?: string
  /** The environment for git. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly seed?: Seed
  readonly settings?: Partial<Settings>
  readonly now?: () => Date
  /** Executes workflow runs on this machine. Without it they stay queued. */
  readonly runner?: RunnerOptions
  /** Called with every answer or event that GitHub would not have sent. */
  readonly onDeviation?: (deviation: string) => void
}

export interface RunningBox {
  readonly url: string
  readonly apiUrl: string
  readonly box: Box
  readonly settings: Settings
  /** Seeded users with their tokens. */
  readonly users: readonly { readonly login: string; readonly token: string }[]
  readonly apps: readonly App[]
  readonly runner: WorkflowRunner | undefined
  /** Waits until every webhook is delivered. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Starts a GitHub on this machine. */
export async function startBox(options: BoxOptions): Promise<RunningBox> {
  const host = options.host ?? '127.0.0.1'
  const { server, port } = await listen(host, options.port ?? 0)
  const box = createBox(options, `http://${host === '127.0.0.1' ? 'localhost' : host}:${port}`)
  await writeHook(box.git.hooksFolder)
  const api = new ApiServer(box, new RequestFaults(box.settings, new Chance(box.settings.faults.seed)))
  const requests = dispatch(box, api)
  server.on('request', requests.handle)
  if (users(box.store).all().length === 0) await fillBox(box, options.seed ?? {})
  else box.deliverer.resume()
  const runner = options.runner === undefined ? undefined : await startRunner(box, options.runner)
  return {
    url: box.url,
    apiUrl: box.apiUrl,
    box,
    settings: box.settings,
    users: tokens(box.store)
      .all()
      .flatMap((one) => (one.kind === 'user' ? [{ login: one.login, token: one.token }] : [])),
    apps: apps(box.store).all(),
    runner,
    settled: () => box.deliverer.settled(),
    close: async () => {
      await Promise.all([...box.runners].map((one) => one.close()))
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      await box.deliverer.close()
      server.closeAllConnections()
      await closed
      // Finish the requests of clients that were killed before their git processes are closed.
      await requests.settled()
      await box.git.close()
    },
  }
}

async function startRunner(box: Box, options: RunnerOptions): Promise<WorkflowRunner> {
  const runner = new WorkflowRunner(box, options)
  box.runners.add(runner)
  await runner.resume()
  return runner
}

function createBox(options: BoxOptions, url: string): Box {
  const now = options.now ?? (() => new Date())
  const store = new Store(options.folder)
  const settings = createSettings(options.settings)
  const chance = new Chance(settings.faults.seed)
  return {
    url,
    apiUrl: `${url}/api/v3`,
    folder: options.folder,
    store,
    settings,
    now,
    git: new BareRepositories(options.folder, createGitEnvironment(options.environment)),
    contract: getContract(),
    limits: new Limits(settings, () => now().getTime()),
    deliverer: new Deliverer({ store, settings, chance, now: () => isoTime(now()) }),
    families: FAMILIES,
    runners: new Set(),
    malformed: [],
    reportDeviation: options.onDeviation ?? logLoudly,
  }
}

function logLoudly(deviation: string): void {
  process.stderr.write(`sandbox: GitHub would not have sent this: ${deviation}\n`)
}

async function writeHook(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'pre-receive')
  await writeFile(file, PRE_RECEIVE_HOOK)
  await chmod(file, 0o755)
}
