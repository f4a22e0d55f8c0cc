import { randomBytes } from 'node:crypto'
import { Octokit } from '@octokit/rest'
import { type RunningApp, serveApp } from '../../../app/server/serve.ts'
import { BOX_SETTINGS } from '../../../app/server/settings.ts'
import { EVENTS } from '../../../app/server/webhook-events.ts'
import { NO_PACE } from '../../../github/api/pace-settings.ts'
import { PERMISSIONS } from '../../../github/installation/repository-transport.ts'
import { type RunningBox, startBox } from '../../../sandbox/server.ts'
import { PACKAGE } from './example-repository.ts'
import { findFreePort } from './free-port.ts'

/** Has write access: enough to start and steer. */
export const MAINTAINER = 'wendy'

const OWNER = 'acme'
const SLUG = 'loreley'
const HOST = '127.0.0.1'

export interface InstallationOptions {
  readonly folder: string
  readonly port: number
  /** Their files, by repository name. */
  readonly repositories: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** How many workflow jobs run at once. */
  readonly parallel: number
}

/** A repository of the sandbox, as its maintainer sees it. */
export interface Site {
  readonly repo: { readonly owner: string; readonly repo: string }
  /** For browsers and for git. */
  readonly url: string
  readonly maintainer: Octokit
}

/** A GitHub on this machine with a runner, and the App installed on its repositories. */
export interface Installation {
  readonly url: string
  site(name: string): Site
  close(): Promise<void>
}

/** Starts both. They talk only over HTTP, as on the internet. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const secret = randomBytes(20).toString('hex')
  // The sandbox must know the App's address before the App starts.
  const port = await findFreePort()
  const box = await openBox(options, { secret, webhookUrl: `http://${HOST}:${port}/api/github/webhooks` })
  const app = await openApp(box, { secret, port })
  const auth = box.users.find(({ login }) => login === MAINTAINER)?.token
  const maintainer = new Octokit({ auth, baseUrl: box.apiUrl })
  return {
    url: box.url,
    site: (repo) => ({ repo: { owner: OWNER, repo }, url: `${box.url}/${OWNER}/${repo}`, maintainer }),
    close: async () => {
      // Runs first: nobody needs their results any more.
      await box.runner?.close()
      await app.stop()
      await box.close()
    },
  }
}

interface Hook {
  readonly secret: string
  readonly webhookUrl: string
}

async function openBox(options: InstallationOptions, { secret, webhookUrl }: Hook): Promise<RunningBox> {
  const { folder, port, repositories, parallel } = options
  return await startBox({
    folder,
    port,
    environment: process.env,
    settings: { actionFolders: { 'loreley-evolution/loreley': PACKAGE } },
    runner: { path: process.env.PATH ?? '', parallel },
    seed: {
      owner: OWNER,
      repositories: Object.entries(repositories).map(([name, files]) => ({ name, files })),
      apps: [{ slug: SLUG, permissions: PERMISSIONS, events: EVENTS, webhookUrl, webhookSecret: secret }],
    },
  })
}

async function openApp(
  box: RunningBox,
  { secret, port }: { readonly secret: string; readonly port: number },
): Promise<RunningApp> {
  const [registered] = box.apps
  if (registered === undefined) throw new RangeError('openApp: the seed registers an App')
  return await serveApp({
    appId: registered.id,
    privateKey: registered.privateKey,
    secret,
    baseUrl: box.apiUrl,
    webUrl: box.url,
    host: HOST,
    port,
    pace: NO_PACE,
    settings: BOX_SETTINGS,
    logLevel: 'error',
    logTo: 'stderr',
  })
}
