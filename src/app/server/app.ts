import type { ApplicationFunctionOptions, Probot } from 'probot'
import { redactSecrets } from '../../core/redact-secrets.ts'
import { type Clock, SYSTEM_CLOCK } from '../../github/api/clock.ts'
import { listInstallations, listRepositories } from '../../github/installations.ts'
import type { InstalledRepository } from '../../github/installed-repository.ts'
import type { AppRequester } from '../../github/repository-transport.ts'
import type { Coordination, Lease } from '../coordination/coordination.ts'
import { OwnCoordination } from '../coordination/coordination.ts'
import { RedisCoordination } from '../coordination/redis-coordination.ts'
import { RedisLink } from '../coordination/redis-link.ts'
import { findCommand } from '../people/command-syntax.ts'
import type { Sender } from '../people/sender.ts'
import type { Log } from '../ports.ts'
import { type EventOf, isByPerson } from '../reconcile/evidence.ts'
import { findEnvelope, findInstallationChange, type InstallationChange } from './envelope.ts'
import { cleanFacts } from './log.ts'
import { AppMetrics, type Workload } from './metrics.ts'
import type { AppOptions } from './options.ts'
import { Repositories } from './repositories.ts'
import { RepositoryQueue } from './repository-queue.ts'
import { Timers } from './timers.ts'
import { isAboutRepository, readEvent } from './webhook-events.ts'

const SIDE_BY_SIDE = 16

/** What there is once Probot has loaded the app. */
interface Loaded {
  readonly requester: AppRequester
  readonly hosts: Repositories
  readonly log: Log
}

/** The app: takes webhooks in, acknowledges them, and works them off after. */
export class LoreleyApp {
  readonly #options: AppOptions
  readonly #clock: Clock
  readonly #coordination: Coordination
  readonly #queue = new RepositoryQueue(SIDE_BY_SIDE)
  readonly #leases = new Map<number, Lease>()
  /** Repositories whose next reconcile is queued already. */
  readonly #due = new Set<number>()
  readonly #timers: Timers
  readonly metrics = new AppMetrics()
  #parts: Loaded | undefined
  #listedAt = Number.NEGATIVE_INFINITY
  /** True from the first answer of GitHub, which a wrong key never gets, until the app is stopped. */
  #isReady = false
  #isStopped = false

  constructor(options: AppOptions) {
    this.#options = options
    this.#clock = options.clock ?? SYSTEM_CLOCK
    this.#timers = new Timers(this.#clock)
    this.#coordination = this.#openCoordination()
  }

  // Through Redis where several processes share a repository, else by itself.
  #openCoordination(): Coordination {
    const { redis, pace } = this.#options
    if (redis === undefined) return new OwnCoordination()
    const clock = this.#clock
    const onFailure = (what: string, error: unknown): void => this.#noteRedisFailure(what, error)
    return new RedisCoordination({ link: new RedisLink({ ...redis, clock, onFailure }), clock, pace })
  }

  #noteRedisFailure(what: string, error: unknown): void {
    this.metrics.count('redis_failures', what)
    this.#loaded.log('warn', `Redis did not answer (${what}): this process goes on alone`, { error })
  }

  /** What Probot loads. */
  async load(probot: Probot, { addHandler }: ApplicationFunctionOptions): Promise<void> {
    const log: Log = (level, message, facts = {}) =>
      probot.log[level](cleanFacts(facts), redactSecrets(message))
    const octokit = await probot.auth()
    const requester: AppRequester = { request: (route, parameters) => octokit.request(route, parameters) }
    const hosts = new Repositories({
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
    // The answer goes out first: nothing that a payload says could change it.
    probot.onAny(({ id, name, payload }) => void setImmediate(() => this.#tryReceive(id, name, payload)))
    const facts = () => ({ workload: this.workload, isReady: this.#isReady })
    addHandler((request, response) => this.metrics.serve(request, response, facts()))
  }

  /** Looks around in every repository: what happened while nobody listened. Then again and again. */
  async watch(): Promise<void> {
    await this.#visitAll()
    this.#timers.every(this.#options.settings.reconcileMs, () => void this.#visitAll())
  }

  /** Whether nothing waits and nothing is being worked on. */
  get isIdle(): boolean {
    return this.workload.tasks === 0
  }

  get workload(): Workload {
    return { tasks: this.#queue.size, requests: this.#loaded.hosts.underWay }
  }

  async settled(): Promise<void> {
    await this.#queue.settled()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#isReady = false
    this.#timers.clear()
    await this.#queue.settled()
  }

  get #loaded(): Loaded {
    if (this.#parts === undefined) throw new RangeError('the app was not loaded')
    return this.#parts
  }

  #tryReceive(delivery: string, name: string, payload: unknown): void {
    try {
      this.#receive(delivery, name, payload)
    } catch (error) {
      this.metrics.count('failures', name)
      this.#loaded.log('error', 'a webhook could not be read', { delivery, error })
    }
  }

  // Nothing is awaited: what takes its time waits in the queue.
  #receive(delivery: string, name: string, payload: unknown): void {
    this.metrics.count('webhooks', name)
    const change = findInstallationChange(name, payload)
    if (change !== undefined) this.#followInstallation(change)
    const envelope = findEnvelope(payload)
    if (envelope === undefined) return
    if (isAboutRepository(name)) this.#loaded.hosts.note(envelope.repository)
    const event = readEvent(name, payload)
    const { repository, sender } = envelope
    if (event.type === 'commented' && findCommand(event.body))
      void this.#acknowledge(repository, event, sender)
    const work = async (): Promise<void> => {
      const host = await this.#loaded.hosts.find(repository)
      if (host === undefined || !(await this.#coordination.claim(`delivery ${delivery}`))) return
      await this.#handle(delivery, () => host.handle(event, sender))
      await host.reconcileIfOverdue()
    }
    this.#add(repository.id, `${name} ${delivery}`, work, isByPerson(event))
  }

  // Outside the queue: what is under way there may wait long for what GitHub allows.
  async #acknowledge(
    repository: InstalledRepository,
    event: EventOf<'commented'>,
    sender: Sender,
  ): Promise<void> {
    try {
      await (await this.#loaded.hosts.find(repository))?.acknowledge(event, sender)
    } catch (error) {
      this.#loaded.log('warn', 'a command was not acknowledged', { repository: repository.id, error })
    }
  }

  // GitHub keeps the id when somebody has it send a delivery again: one that failed is not a double.
  async #handle(delivery: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      await this.#coordination.release(`delivery ${delivery}`)
      throw error
    }
  }

  #followInstallation({ installation, isUsable, isRenewed }: InstallationChange): void {
    this.#loaded.hosts.noteInstallation(installation, isUsable)
    if (isRenewed) this.#loaded.hosts.renew(installation)
    if (isUsable) void this.#visit(installation)
  }

  #add(repository: number, what: string, task: () => Promise<void>, isUrgent = false): void {
    const attempt = async (): Promise<void> => {
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
    }
    this.#queue.add(repository, attempt, isUrgent)
  }

  async #visitAll(): Promise<void> {
    const nowMs = this.#clock.now()
    if (nowMs - this.#listedAt < this.#options.settings.fullReconcileMs) {
      for (const names of this.#loaded.hosts.known()) this.#reconcile(names)
      return
    }
    this.#listedAt = nowMs
    try {
      for (const { id, isUsable } of await listInstallations(this.#loaded.requester)) {
        this.#loaded.hosts.noteInstallation(id, isUsable)
        if (isUsable) await this.#visit(id)
      }
      this.#isReady = !this.#isStopped
    } catch (error) {
      this.#isReady = false
      this.#listedAt = Number.NEGATIVE_INFINITY
      this.#loaded.log('warn', 'the installations could not be listed', { error })
    }
  }

  // One installation that cannot be read keeps nobody else waiting.
  async #visit(installation: number): Promise<void> {
    const { requester, hosts, log } = this.#loaded
    try {
      const listed = await listRepositories(requester, installation, this.#options.baseUrl)
      hosts.keepOnly(installation, listed)
      for (const names of listed) {
        hosts.note(names)
        this.#reconcile(names)
      }
    } catch (error) {
      log('warn', 'an installation could not be read', { installation, error })
    }
  }

  // A reconcile that takes longer than the interval must not pile up.
  #reconcile(names: InstalledRepository): void {
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
