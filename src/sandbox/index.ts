import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install } from './apps/installation-routes.ts'
import { issueToken } from './apps/installation-tokens.ts'
import type { Box } from './box.ts'
import { addApp, type Seed, type SeedApp } from './seed.ts'
import { type RunningBox, startBox } from './server.ts'
import type { Settings } from './settings.ts'
import { getUser } from './state/lookups.ts'

export type { SeedApp, SeedRepository, SeedUser } from './seed.ts'
export { DOCUMENTED_SECONDARY_LIMITS, type Faults, NO_FAULTS, type Settings } from './settings.ts'

const DEFAULT_OWNER = 'acme'

/** How a sandbox starts. The seed (`owner`, `users`, `repositories`, `apps`) fills an empty one. */
export interface SandboxOptions extends Seed {
  /** Usually `process.env`: git runs with it, and jobs search its PATH for programs. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Holds the state, and continues one that is there. The default is a temporary folder that `close` removes. */
  readonly folder?: string
  /** The default, 0, takes any free port. */
  readonly port?: number
  /** How many jobs run at the same time. 0 leaves workflow runs queued. The default is 4. */
  readonly parallelJobs?: number
  readonly settings?: Partial<Settings>
  readonly now?: () => Date
  /** Called with every answer or event that GitHub would not have sent. The default writes to standard error. */
  readonly onDeviation?: (deviation: string) => void
}

export interface InstalledApp {
  readonly id: number
  readonly slug: string
  /** PEM. */
  readonly privateKey: string
  readonly installationId: number
  /** A token of the installation with all of its permissions. */
  readonly token: string
}

/** A GitHub on this machine. */
export interface Sandbox {
  /** The web page, and the start of clone addresses. */
  readonly url: string
  /** The REST API: Octokit's `baseUrl`. */
  readonly apiUrl: string
  /** Change them at any time, for instance to switch faults on. */
  readonly settings: Settings
  /** Seeded users with their tokens. */
  readonly users: readonly { readonly login: string; readonly token: string }[]
  /** Requests by Apps that GitHub's API descriptions do not allow. */
  readonly malformedRequests: readonly string[]
  /** Registers an App and installs it on all repositories of the owner. */
  installApp(app: SeedApp): Promise<InstalledApp>
  /** Waits until all workflow runs have ended and all webhooks are delivered. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Starts a GitHub on this machine. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { owner = DEFAULT_OWNER, users, repositories, apps, parallelJobs, environment, ...rest } = options
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'loreley-sandbox-')))
  const running = await startBox({
    ...rest,
    environment,
    folder,
    seed: {
      owner,
      ...(users === undefined ? {} : { users }),
      ...(repositories === undefined ? {} : { repositories }),
      ...(apps === undefined ? {} : { apps }),
    },
    ...(parallelJobs === 0 ? {} : { runner: runnerOptions(environment, parallelJobs) }),
  })
  return {
    url: running.url,
    apiUrl: running.apiUrl,
    settings: running.settings,
    users: running.users,
    malformedRequests: running.box.malformed,
    installApp: async (app) => await installApp(running.box, owner, app),
    settled: async () => await settled(running),
    close: async () => {
      await running.close()
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

function runnerOptions(environment: SandboxOptions['environment'], parallel: number | undefined) {
  return { path: environment.PATH ?? '', ...(parallel === undefined ? {} : { parallel }) }
}

async function installApp(box: Box, owner: string, draft: SeedApp): Promise<InstalledApp> {
  const app = addApp(box, owner, draft)
  const sender = getUser(box.store, owner)
  const { id } = await install(box, { appId: app.id, account: owner, repositories: 'all', sender })
  const { token } = issueToken(box, {
    installationId: id,
    permissions: app.permissions,
    repositories: 'all',
  })
  return { id: app.id, slug: app.slug, privateKey: app.privateKey, installationId: id, token }
}

// A webhook may make an App start another run, so wait for both twice.
async function settled({ runner, settled: delivered }: RunningBox): Promise<void> {
  for (let pass = 0; pass < 2; pass += 1) {
    await runner?.settled()
    await delivered()
  }
}
