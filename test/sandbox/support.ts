import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createAppAuth } from '@octokit/auth-app'
import { Octokit } from '@octokit/rest'
import { afterEach, expect } from 'vitest'
import { type BoxOptions, type RunningBox, startBox } from '../../src/sandbox/server.ts'
import type { Permissions } from '../../src/sandbox/state/documents.ts'

/** One key for all tests, because generating one takes a while. */
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

export const REPO = { owner: 'acme', repo: 'demo' }
export const WEBHOOK_SECRET = 'the-secret'

const FULL: Permissions = {
  actions: 'write',
  administration: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
  statuses: 'write',
  workflows: 'write',
}

const EVENTS = [
  'check_run',
  'check_suite',
  'create',
  'delete',
  'issue_comment',
  'issues',
  'label',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'repository',
  'repository_dispatch',
  'status',
  'workflow_dispatch',
  'workflow_job',
  'workflow_run',
]

export interface TestBoxOptions extends Partial<Omit<BoxOptions, 'environment' | 'seed'>> {
  readonly files?: Readonly<Record<string, string>>
  readonly private?: boolean
  readonly permissions?: Permissions
  /** The App's slug. */
  readonly slug?: string
  readonly webhookUrl?: string
  /** Set when the test expects deviations and checks them itself. */
  readonly lenient?: boolean
  /** Fails the test on requests by Apps that GitHub does not describe. */
  readonly wellFormed?: boolean
}

export interface TestBox extends RunningBox {
  readonly folder: string
  readonly deviations: string[]
  readonly privateKey: string
  /** A client with a seeded user's token: olivia (admin), wendy (write), tariq (triage), rita (read), sam (none). */
  as(login: string): Octokit
  token(login: string): string
  /** A client with the App's key, for /app. */
  app(): Octokit
  /** A client with an installation token, optionally narrowed. */
  installation(permissions?: Permissions): Promise<Octokit>
  client(token?: string): Octokit
}

interface OpenBox {
  readonly lenient: boolean | undefined
  readonly wellFormed: boolean | undefined
  readonly folder: string
  readonly deviations: readonly string[]
  readonly malformed: readonly string[]
  close(): Promise<void>
}

const open: OpenBox[] = []

/** Fails when an App sent a request that GitHub does not describe. */
export function expectWellFormed({ malformed }: { readonly malformed: readonly string[] }): void {
  expect([...new Set(malformed)], 'requests against GitHub’s descriptions').toEqual([])
}

afterEach(async () => {
  for (const box of open.splice(0)) {
    await box.close()
    // A git process of an abandoned request may still be writing its last file.
    await rm(box.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    if (!box.lenient) expect([...new Set(box.deviations)], 'deviations from GitHub').toEqual([])
    if (box.wellFormed) expectWellFormed(box)
  }
})

/**
 * A sandbox with the repository acme/demo, an installed App, and a user for each role. Closed after the test.
 */
export async function startTestBox(options: TestBoxOptions = {}): Promise<TestBox> {
  const {
    files = { 'README.md': '# demo\n', 'src/a.txt': 'one\ntwo\nthree\n' },
    permissions = FULL,
    ...rest
  } = options
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'loreley-box-')))
  const deviations: string[] = []
  const running = await startBox({
    ...rest,
    folder,
    environment: process.env,
    onDeviation: (deviation) => deviations.push(deviation),
    seed: {
      repositories: [{ name: REPO.repo, private: options.private ?? false, files }],
      apps: [
        {
          slug: options.slug ?? 'tester',
          permissions,
          events: EVENTS,
          privateKey,
          webhookSecret: WEBHOOK_SECRET,
          ...(options.webhookUrl === undefined ? {} : { webhookUrl: options.webhookUrl }),
        },
      ],
    },
  })
  const { lenient, wellFormed } = options
  const { malformed } = running.box
  open.push({ close: running.close, deviations, malformed, folder, lenient, wellFormed })
  return { ...running, folder, deviations, privateKey, ...clients(running) }
}

function clients(running: RunningBox) {
  const client = (auth?: string): Octokit =>
    new Octokit({ baseUrl: running.apiUrl, log: QUIET, ...(auth === undefined ? {} : { auth }) })
  const token = (login: string): string => running.users.find((user) => user.login === login)?.token ?? ''
  const app = (): Octokit =>
    new Octokit({
      baseUrl: running.apiUrl,
      log: QUIET,
      authStrategy: createAppAuth,
      auth: { appId: running.apps[0]?.id ?? 0, privateKey: running.apps[0]?.privateKey ?? '' },
    })
  const installation = async (permissions?: Permissions): Promise<Octokit> => {
    const installed = await app().rest.apps.listInstallations()
    const made = await app().rest.apps.createInstallationAccessToken({
      installation_id: installed.data[0]?.id ?? 0,
      ...(permissions === undefined ? {} : { permissions }),
    })
    return client(made.data.token)
  }
  return { client, token, app, installation, as: (login: string) => client(token(login)) }
}

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

export interface Received {
  readonly event: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** A webhook receiver on its own port. It answers with `status`. */
export async function startReceiver(status = 200) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      const body = bytes.toString('utf8')
      received.push({
        event: String(request.headers['x-github-event']),
        headers: request.headers,
        body,
        payload: JSON.parse(body),
      })
      response.writeHead(status).end('thanks')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  open.push({ close, deviations: [], malformed: [], folder: '', lenient: true, wellFormed: false })
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    close,
    names: () => received.map((one) => one.event),
  }
}

/** The status and message of the error that a call is expected to throw. */
export async function failure(call: Promise<unknown>): Promise<{ status: number; message: string }> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (typeof error !== 'object' || error === null || !('status' in error)) {
    throw new Error('the call was expected to fail', { cause: error })
  }
  const message = error instanceof Error ? error.message : ''
  return { status: Number(error.status), message: message.split(' - https://')[0] ?? '' }
}
