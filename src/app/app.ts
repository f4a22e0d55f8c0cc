import type { ApplicationFunctionOptions, Probot } from 'probot'
import type { RedisAddress } from '../config/app-environment.ts'
import { redactSecrets } from '../core/secrets.ts'
import { type Clock, SYSTEM_CLOCK } from '../github/clock.ts'
import type { PaceSettings } from '../github/pace-settings.ts'
import { type Coordination, type Lease, OwnCoordination } from './coordination.ts'
import {
  findEnvelope,
  findInstallationChange,
  type InstallationChange,
  type RepositoryNames,
} from './envelope.ts'
import { listInstallations, listRepositories } from './installations.ts'
import { AppMetrics } from './metrics.ts'
import { RedisCoordination } from './redis-coordination.ts'
import { RedisLink } from './redis-link.ts'
import type { RepositoryHost } from './repository-host.ts'
import { RepositoryHosts } from './repository-hosts.ts'
import { RepositoryQueue } from './repository-queue.ts'
import type { AppSettings, Log } from './repository-tools.ts'
import type { AppRequester } from './repository-transport.ts'
import { Timers } from './timers.ts'
import { isAboutRepository, readEvent } from './webhook-events.ts'

export interface AppOptions {
  /** The API's address, such as https://api.github.com. */
  readonly baseUrl: string
  /** Where people look, such as https://github.com. */
  readonly webUrl: string
  readonly pace: PaceSettings
  readonly settings: AppSettings
  /** Shared by all processes of the app, if there are several. */
  readonly redis?: RedisAddress
  readonly clock?: Clock
}

const SIDE_BY_SIDE = 16

/** What there is once Probot has loaded the app. */
interface Loaded {
  readonly requester: AppRequester
  readonly hosts: RepositoryHosts
  readonly log: Log
}

/** The app: takes webhooks in, acknowledges them, and works them off after. */
export class LoreleyApp {
  readonly #options: AppOptions
  readonly #clock: Clock
  readonly #coordination: Coordination
  readonly #queue = new RepositoryQueue(SIDE_BY_SIDE)
  readonly #leases = new Map<number, Lease>()
  /** Repositories whose next look around waits already. */
  readonly #due = new Set<number>()
  readonly #timers: Timers
  readonly metrics = new AppMetrics()
  #parts: Loaded | undefined
  #listedAt = Number.NEGATIVE_INFINITY

  constructor(options: AppOptions) {
    this.#options = options
    this.#clock = options.clock ?? SYSTEM_CLOCK
    this.#timers = new Timers(this.#clock)
    this.#coordination = this.#coordinate(options)
  }

  #coordinate({ redis, pace }: AppOptions): Coordination {
    if (redis === undefined) return new OwnCoordination()
    const clock = this.#clock
    const onFailure = (what: string, error: unknown): void => {
      this.metrics.count('redis_failures', what)
      const message = `Redis did not answer (${what}): this process goes on alone for a while`
      this.#loaded.log('warn', message, { error })
    }
    const link = new RedisLink({ ...redis, clock, onFailure })
    return new RedisCoordination({ link, clock, pace })
  }

  /** What Probot loads. */
  async load(probot: Probot, { addHandler }: ApplicationFunctionOptions): Promise<void> {
    const log: Log = (level, message, facts = {}) =>
      probot.log[level](cleanFacts(facts), redactSecrets(message))
    const octokit = await probot.auth()
    const requester: AppRequester = { request: (route, parameters) => octokit.request(route, parameters) }
    const hosts = new RepositoryHosts({
      ...this.#options,
      app: requester,
      clock: this.#clock,
      log,
      budgetOf: (installation) => this.#coordination.budgetOf(installation),
      mayPush: async (repository) => (await this.#leases.get(repository)?.isHeld()) ?? true,
      onRequest: (kind) => this.metrics.count('requests', kind),
      later: (repository, delayMs, task) => this.#later(repository, delayMs, task),
    })
    this.#parts = { requester, hosts, log }
    probot.onAny(({ id, name, payload }) => this.#receive(id, name, payload))
    addHandler((request, response) => this.metrics.serve(request, response, this.#queue.size))
  }

  /** Looks around in every repository: what happened while nobody listened. Then again and again. */
  async watch(): Promise<void> {
    await this.#visitAll()
    this.#timers.every(this.#options.settings.reconcileMs, () => void this.#visitAll())
  }

  /** Whether nothing waits and nothing is being worked on. */
  get isIdle(): boolean {
    return this.#queue.size === 0
  }

  async settled(): Promise<void> {
    await this.#queue.settled()
  }

  async stop(): Promise<void> {
    this.#timers.clear()
    await this.#queue.settled()
  }

  get #loaded(): Loaded {
    if (this.#parts === undefined) throw new RangeError('the app was not loaded')
    return this.#parts
  }

  // Nothing is awaited: GitHub wants its answer within ten seconds.
  #receive(delivery: string, name: string, payload: unknown): void {
    this.metrics.count('webhooks', name)
    const change = findInstallationChange(name, payload)
    if (change !== undefined) this.#followInstallation(change)
    const envelope = findEnvelope(payload)
    if (envelope === undefined) return
    if (isAboutRepository(name)) this.#loaded.hosts.note(envelope.repository)
    const event = readEvent(name, payload)
    this.#enqueue(envelope.repository, `${name} ${delivery}`, async (host) => {
      if (await this.#coordination.claim(`delivery ${delivery}`)) await host.handle(event, envelope.sender)
    })
  }

  #followInstallation({ installation, isUsable }: InstallationChange): void {
    this.#loaded.hosts.noteInstallation(installation, isUsable)
    if (isUsable) void this.#visit(installation)
  }

  #enqueue(repository: RepositoryNames, what: string, work: (host: RepositoryHost) => Promise<void>): void {
    this.#add(repository.id, what, async () => {
      const host = await this.#loaded.hosts.find(repository)
      if (host !== undefined) await work(host)
    })
  }

  #add(repository: number, what: string, task: () => Promise<void>): void {
    this.#queue.add(repository, async () => {
      try {
        await this.#coordination.withLock(repository, async (lease) => {
          this.#leases.set(repository, lease)
          if (!lease.isUnbroken) await this.#loaded.hosts.reload(repository)
          await task()
        })
      } catch (error) {
        this.metrics.count('failures', what.split(' ')[0] ?? '')
        this.#loaded.log('error', `${what} failed`, { repository, error })
      }
    })
  }

  async #visitAll(): Promise<void> {
    const nowMs = this.#clock.now()
    if (nowMs - this.#listedAt < this.#options.settings.surveyMs) {
      for (const names of this.#loaded.hosts.known()) this.#reconcile(names)
      return
    }
    this.#listedAt = nowMs
    try {
      for (const { id, isUsable } of await listInstallations(this.#loaded.requester)) {
        this.#loaded.hosts.noteInstallation(id, isUsable)
        if (isUsable) await this.#visit(id)
      }
    } catch (error) {
      this.#loaded.log('warn', 'the round of all repositories failed', { error })
    }
  }

  // One installation that cannot be read keeps nobody else waiting.
  async #visit(installation: number): Promise<void> {
    const { requester, hosts, log } = this.#loaded
    try {
      for (const names of await listRepositories(requester, installation, this.#options.baseUrl)) {
        hosts.note(names)
        this.#reconcile(names)
      }
    } catch (error) {
      log('warn', 'a round of one installation failed', { installation, error })
    }
  }

  // A round that takes longer than the time between two must not pile up.
  #reconcile(names: RepositoryNames): void {
    if (this.#due.has(names.id)) return
    this.#due.add(names.id)
    this.#add(names.id, 'timer', async () => {
      this.#due.delete(names.id)
      const host = await this.#loaded.hosts.find(names)
      await host?.reconcile()
    })
  }

  #later(repository: number, delayMs: number, task: () => Promise<void>): void {
    const add = (): void => this.#add(repository, 'step', task)
    if (delayMs <= 0) add()
    else this.#timers.after(delayMs, add)
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
