import { Octokit } from '@octokit/rest'
import * as z from 'zod'
import type { Transport } from '../api/api-client.ts'
import type { Clock } from '../api/clock.ts'

/** The permissions that the app needs on a repository. `app.yml` declares the same. */
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

const installationAnswer = z.object({ permissions: z.object({ workflows: z.string().optional() }) })

/** A repository's transport, and whether it may write workflow files. */
export interface RepositoryTransport extends Transport {
  mayWriteWorkflows(): Promise<boolean>
}

export interface TransportOptions {
  readonly app: AppRequester
  readonly installation: number
  readonly repository: number
  readonly baseUrl: string
  readonly clock: Clock
}

/** An installation token, as GitHub returns it. */
export const tokenAnswer = z.object({ token: z.string(), expires_at: z.string() })
// Callers treat refusals as values and log them, so Octokit's own log is off.
const nothing = (): void => undefined
const QUIET = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** A client without its own log. */
export function createClient(token: string, baseUrl: string): Octokit {
  return new Octokit({ auth: token, baseUrl, log: QUIET })
}

interface Connection {
  readonly octokit: Octokit
  readonly workflows: boolean
  readonly untilMs: number
}

const SPARE_MS = 5 * 60_000

/** The transport for one repository. Its token is limited to that repository, so a leaked token opens nothing else. */
export function createTransport(options: TransportOptions): RepositoryTransport {
  const { app, installation, repository, baseUrl, clock } = options
  let current: Connection | undefined
  const connect = async (): Promise<Connection> => {
    if (current !== undefined && current.untilMs > clock.now()) return current
    const { data: installed } = await app.request('GET /app/installations/{installation_id}', {
      installation_id: installation,
    })
    // `app.yml` does not request this permission. An owner who granted it wants refs to commits with older workflow
    // files.
    const workflows = installationAnswer.parse(installed).permissions.workflows === 'write'
    // Use the app's own endpoint: Probot's `auth` would call api.github.com, whatever the base URL is.
    const { data } = await app.request('POST /app/installations/{installation_id}/access_tokens', {
      installation_id: installation,
      repository_ids: [repository],
      permissions: { ...PERMISSIONS, ...(workflows && { workflows: 'write' }) },
    })
    const { token, expires_at } = tokenAnswer.parse(data)
    const octokit = createClient(token, baseUrl)
    current = { octokit, workflows, untilMs: Date.parse(expires_at) - SPARE_MS }
    return current
  }
  return {
    request: async (route, parameters) => await (await connect()).octokit.request(route, parameters),
    graphql: async (query, variables) => await (await connect()).octokit.graphql(query, variables),
    mayWriteWorkflows: async () => (await connect()).workflows,
  }
}
