import { Octokit } from '@octokit/rest'
import * as z from 'zod'
import type { Transport } from '../github/api-client.ts'
import type { Clock } from '../github/clock.ts'

/** What the app asks of a repository, and no more; `app.yml` declares the same. */
export const PERMISSIONS = {
  actions: 'write',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
} as const

/** The app's own client: it may mint tokens, nothing else is asked of it. */
export interface AppRequester {
  request(route: string, parameters?: Record<string, unknown>): Promise<{ readonly data: unknown }>
}

export interface TransportOptions {
  readonly app: AppRequester
  readonly installation: number
  readonly repository: number
  readonly baseUrl: string
  readonly clock: Clock
}

/** An installation token, as GitHub gives it. */
export const tokenAnswer = z.object({ token: z.string(), expires_at: z.string() })
// Refusals are values to us: those who meet one say so in our own log.
const nothing = (): void => undefined
const QUIET = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** A client that writes to no log of its own. */
export function createClient(token: string, baseUrl: string): Octokit {
  return new Octokit({ auth: token, baseUrl, log: QUIET })
}

const SPARE_MS = 5 * 60_000

/** The way to one repository with a token for it alone: what leaks by accident opens nothing else. */
export function createTransport(options: TransportOptions): Transport {
  const { app, installation, repository, baseUrl, clock } = options
  let current: { readonly octokit: Octokit; readonly untilMs: number } | undefined
  const connect = async (): Promise<Octokit> => {
    if (current !== undefined && current.untilMs > clock.now()) return current.octokit
    // Through the app's own endpoint: Probot's `auth` would ask api.github.com, whatever the base address is.
    const { data } = await app.request('POST /app/installations/{installation_id}/access_tokens', {
      installation_id: installation,
      repository_ids: [repository],
      permissions: PERMISSIONS,
    })
    const { token, expires_at } = tokenAnswer.parse(data)
    const octokit = createClient(token, baseUrl)
    current = { octokit, untilMs: Date.parse(expires_at) - SPARE_MS }
    return octokit
  }
  return {
    request: async (route, parameters) => await (await connect()).request(route, parameters),
    graphql: async (query, variables) => await (await connect()).graphql(query, variables),
  }
}
