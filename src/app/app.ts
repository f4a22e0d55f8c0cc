import type { ApplicationFunctionOptions, Probot } from 'probot'
import { redactSecrets } from '../core/secrets.ts'
import { type Clock, SYSTEM_CLOCK } from '../github/clock.ts'
import type { PaceSettings } from '../github/pace-settings.ts'
import { type Coordination, OwnCoordination } from './coordination.ts'
import {
  findEnvelope,
  findInstallationChange,
  type InstallationChange,
  type RepositoryNames,
} from './envelope.ts'
import { listInstallations, listRepositories } from './installations.ts'
import { AppMetrics } from './metrics.ts'
import type { RepositoryHost } from './repository-host.ts'
import { RepositoryHosts } from './repository-hosts.ts'
import { RepositoryQueue } from './repository-queue.ts'
import type { AppSettings, Log } from './repository-tools.ts'
import type { AppRequester } from './repository-transport.ts'
import { isAboutRepository, readEvent } from './webhook-events.ts'

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

/** What there is once Probot has loaded the app. */
interface Loaded {
  readonly requester: AppRequester
  readonly hosts: RepositoryHosts
  readonly log: Log
}

/** The app: takes webhooks in, acknowledges them, and works them off after. */
export class LoreleyApp {
  readonly #options: AppOptions
  readonly #coordination: Coordination
  readonly #queue = new RepositoryQueue(SIDE_BY_SIDE)
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly metrics = new AppMetrics()
  #parts: Loaded | undefined

  constructor(options: AppOptions) {
    this.#options = options
    this.#coordination = options.coordination ?? new OwnCoordination()
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
      clock: this.#options.clock ?? SYSTEM_CLOCK,
      log,
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
      if (host !== undefined) await this.#coordination.withLock(repository.id, () => work(host))
    })
  }

  #add(repository: number, what: string, task: () => Promise<void>): void {
    this.#queue.add(repository, async () => {
      try {
        await task()
      } catch (error) {
        this.metrics.count('failures', what.split(' ')[0] ?? '')
        this.#loaded.log('error', `${what} failed`, { repository, error })
      }
    })
  }

  async #visitAll(): Promise<void> {
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
        this.#enqueue(names, 'timer', (host) => host.reconcile())
      }
    } catch (error) {
      log('warn', 'a round of one installation failed', { installation, error })
    }
  }

  #later(repository: number, delayMs: number, task: () => Promise<void>): void {
    if (delayMs <= 0) {
      this.#add(repository, 'step', task)
      return
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#add(repository, 'step', task)
    }, delayMs)
    this.#timers.add(timer)
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
