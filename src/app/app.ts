import type { ApplicationFunctionOptions, Probot } from 'probot'
import * as z from 'zod'
import { redactSecrets } from '../core/secrets.ts'
import { ApiClient } from '../github/api-client.ts'
import { BaseTrees } from '../github/base-trees.ts'
import { Candidates } from '../github/candidates.ts'
import { type Clock, SYSTEM_CLOCK } from '../github/clock.ts'
import { Comments } from '../github/comments.ts'
import { GitHubStore } from '../github/github-store.ts'
import type { PaceSettings } from '../github/pace-settings.ts'
import { Permissions } from '../github/permissions.ts'
import { RepositoryApi } from '../github/repository-api.ts'
import type { ElitePlace } from '../store/layout.ts'
import { type Coordination, OwnCoordination } from './coordination.ts'
import { AppMetrics } from './metrics.ts'
import { RepositoryHost } from './repository-host.ts'
import { RepositoryQueue } from './repository-queue.ts'
import type { AppSettings, Log } from './repository-tools.ts'
import { type AppRequester, createTransport, listRepositories } from './repository-transport.ts'
import { type Envelope, findEnvelope, readEvent } from './webhook-events.ts'

export interface AppOptions {
  /** The API's address, such as https://api.github.com. */
  readonly baseUrl: string
  /** Where people look, such as https://github.com. */
  readonly webUrl: string
  readonly pace: PaceSettings
  readonly settings: AppSettings
  readonly coordination?: Coordination
  readonly clock?: Clock
}

const SIDE_BY_SIDE = 16

const appAnswer = z.object({ slug: z.string() })
const installations = z.array(z.object({ id: z.number() }))

/** The app: takes webhooks in, acknowledges them, and works them off after. */
export class LoreleyApp {
  readonly #options: AppOptions
  readonly #clock: Clock
  readonly #coordination: Coordination
  readonly #queue = new RepositoryQueue(SIDE_BY_SIDE)
  readonly #hosts = new Map<number, Promise<RepositoryHost>>()
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly metrics = new AppMetrics()
  #log: Log = () => undefined
  #requester: AppRequester | undefined
  #actor: string | undefined

  constructor(options: AppOptions) {
    this.#options = options
    this.#clock = options.clock ?? SYSTEM_CLOCK
    this.#coordination = options.coordination ?? new OwnCoordination()
  }

  /** What Probot loads. */
  async load(probot: Probot, { addHandler }: ApplicationFunctionOptions): Promise<void> {
    this.#log = (level, message, facts = {}) => probot.log[level](cleanFacts(facts), redactSecrets(message))
    const octokit = await probot.auth()
    this.#requester = { request: (route, parameters) => octokit.request(route, parameters) }
    probot.onAny(({ id, name, payload }) => this.#receive(id, name, payload))
    addHandler((request, response) => this.metrics.serve(request, response, this.#queue.size))
  }

  /** Looks around in every repository: what happened while nobody listened. Then again and again. */
  async watch(): Promise<void> {
    await this.#visitAll()
    const timer = setInterval(() => void this.#visitAll(), this.#options.settings.reconcileMs)
    this.#timers.add(timer)
  }

  /** Whether nothing waits and nothing is being worked on. */
  get isIdle(): boolean {
    return this.#queue.size === 0
  }

  async settled(): Promise<void> {
    await this.#queue.settled()
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#timers.clear()
    await this.#queue.settled()
  }

  // Nothing is awaited: GitHub wants its answer within ten seconds.
  #receive(delivery: string, name: string, payload: unknown): void {
    this.metrics.count('webhooks', name)
    const envelope = findEnvelope(payload)
    if (envelope === undefined) return
    const event = readEvent(name, payload)
    this.#enqueue(envelope, `${name} ${delivery}`, async (host) => {
      if (await this.#coordination.claim(`delivery ${delivery}`)) await host.handle(event, envelope.sender)
    })
  }

  #enqueue(envelope: Envelope, what: string, work: (host: RepositoryHost) => Promise<void>): void {
    const { id } = envelope.repository
    this.#queue.add(id, async () => {
      try {
        const host = await this.#hostOf(envelope)
        await this.#coordination.withLock(id, () => work(host))
      } catch (error) {
        this.metrics.count('failures', what.split(' ')[0] ?? '')
        this.#log('error', `${what} failed`, { repository: id, error })
      }
    })
  }

  async #visitAll(): Promise<void> {
    try {
      const requester = this.#getRequester()
      const { data } = await requester.request('GET /app/installations', { per_page: 100 })
      for (const { id } of installations.parse(data)) await this.#visitInstallation(id)
    } catch (error) {
      this.#log('warn', 'the round of all repositories failed', { error })
    }
  }

  async #visitInstallation(installation: number): Promise<void> {
    for (const envelope of await this.#listRepositories(installation)) {
      this.#enqueue(envelope, 'timer', (host) => host.reconcile())
    }
  }

  async #listRepositories(installation: number): Promise<readonly Envelope[]> {
    const repositories = await listRepositories(this.#getRequester(), installation, this.#options.baseUrl)
    const sender = { login: '', type: 'Bot' }
    return repositories.flatMap(
      (repository) => findEnvelope({ installation: { id: installation }, repository, sender }) ?? [],
    )
  }

  async #hostOf(envelope: Envelope): Promise<RepositoryHost> {
    const { id } = envelope.repository
    const known = this.#hosts.get(id)
    if (known !== undefined) return await known
    const made = this.#createHost(envelope)
    this.#hosts.set(id, made)
    made.catch(() => this.#hosts.delete(id))
    return await made
  }

  async #createHost({ installation, repository }: Envelope): Promise<RepositoryHost> {
    const { baseUrl, webUrl, pace, settings } = this.#options
    const clock = this.#clock
    const actor = await this.#getActor()
    const app = this.#getRequester()
    const transport = createTransport({ app, installation, repository: repository.id, baseUrl, clock })
    const onRequest = ({ kind }: { kind: string }): void => this.metrics.count('requests', kind)
    const { owner, name, id, nodeId } = repository
    const api = new RepositoryApi(new ApiClient({ transport, pace, clock, onRequest }), {
      owner,
      repo: name,
      id,
      nodeId,
    })
    const elitePlaces = new Map<string, ElitePlace>()
    const elitePlace = (config: { name: string }): ElitePlace => elitePlaces.get(config.name) ?? 'branches'
    const trees = new BaseTrees(api)
    return new RepositoryHost({
      api,
      clock,
      settings,
      actor,
      trees,
      elitePlaces,
      store: new GitHubStore({ api, clock, pace: settings.statePace, elitePlace }),
      candidates: new Candidates(api, trees),
      comments: new Comments(api, actor),
      permissions: new Permissions(api, clock),
      defaultBranch: repository.defaultBranch,
      webUrl: `${webUrl}/${owner}/${name}`,
      log: this.#log,
      later: (delayMs, task) => this.#later(repository.id, delayMs, task),
    })
  }

  #later(repository: number, delayMs: number, task: () => Promise<void>): void {
    const add = (): void =>
      this.#queue.add(repository, async () => {
        try {
          await task()
        } catch (error) {
          this.#log('error', 'a step failed', { repository, error })
        }
      })
    if (delayMs <= 0) {
      add()
      return
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      add()
    }, delayMs)
    this.#timers.add(timer)
  }

  async #getActor(): Promise<string> {
    if (this.#actor === undefined) {
      const { data } = await this.#getRequester().request('GET /app')
      this.#actor = `${appAnswer.parse(data).slug}[bot]`
    }
    return this.#actor
  }

  #getRequester(): AppRequester {
    if (this.#requester === undefined) throw new RangeError('getRequester: the app was not loaded')
    return this.#requester
  }
}

function cleanFacts(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      key,
      value instanceof Error ? redactSecrets(value.stack ?? value.message) : value,
    ]),
  )
}
