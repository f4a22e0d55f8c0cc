import type { ApplicationFunctionOptions, Probot } from 'probot'
import { redactSecrets } from '../../core/redact-secrets.ts'
import { type Clock, SYSTEM_CLOCK } from '../../github/api/clock.ts'
import { listInstallations, listRepositories } from '../../github/installation/installations.ts'
import type { InstalledRepository } from '../../github/installation/installed-repository.ts'
import type { AppRequester } from '../../github/installation/repository-transport.ts'
import { type Coordination, type Lease, OwnCoordination } from '../coordination/coordination.ts'
import { RedisCoordination } from '../coordination/redis-coordination.ts'
import { RedisLink } from '../coordination/redis-link.ts'
import { findCommand } from '../people/command-syntax.ts'
import type { Log } from '../ports.ts'
import { type Evidence, isByPerson } from '../reconcile/evidence.ts'
import type { Outlook } from '../reconcile/outlook.ts'
import type { RepositoryReconciler } from '../reconcile/repository-reconciler.ts'
import { findEnvelope, findInstallationChange, type InstallationChange } from './envelope.ts'
import { cleanFacts } from './log.ts'
import { AppMetrics, type Workload } from './metrics.ts'
import type { AppOptions } from './options.ts'
import { Repositories } from './repositories.ts'
import { RepositoryQueue } from './repository-queue.ts'
import { Timers } from './timers.ts'
import { isAboutRepository, readEvent } from './webhook-events.ts'

const SIDE_BY_SIDE = 16
const BATCH = 8
/** How often evidence that nobody could take is tried again, each time after twice as long, before it is let go. */
const MOST_RETRIES = 5
const RETRY_MS = 1000

/** What there is once Probot has loaded the app. */
interface Loaded {
  readonly requester: AppRequester
  readonly repositories: Repositories
  readonly log: Log
}

/** Evidence, and the delivery that brought it. */
interface Delivered {
  readonly delivery: string
  readonly evidence: Evidence
}

/** The app: takes webhooks in, answers them, and reconciles the repositories that they are about. */
export class LoreleyApp {
  readonly #options: AppOptions
  readonly #clock: Clock
  readonly #coordination: Coordination
  readonly #queue = new RepositoryQueue(SIDE_BY_SIDE)
  readonly #leases = new Map<number, Lease>()
  /** By repository: evidence for its next reconcile. */
  readonly #evidence = new Map<number, Delivered[]>()
  /** By repository: how often its evidence was tried again. */
  readonly #retries = new Map<number, number>()
  /** Repositories whose evidence will be tried again. */
  readonly #retrying = new Set<number>()
  /** By repository: calls off the reconcile that the last one asked for. */
  readonly #wakes = new Map<number, () => void>()
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
    const repositories = new Repositories({
      ...this.#options,
      app: requester,
      clock: this.#clock,
      log,
      budgetOf: (installation) => this.#coordination.budgetOf(installation),
      mayPush: async (repository) => (await this.#leases.get(repository)?.isHeld()) ?? true,
      onRequest: (kind) => this.metrics.count('requests', kind),
    })
    this.#parts = { requester, repositories, log }
    // The answer goes out first: nothing that a payload says could change it.
    probot.onAny(({ id, name, payload }) => void setImmediate(() => this.#tryReceive(id, name, payload)))
    const facts = () => ({ workload: this.workload, isReady: this.#isReady })
    addHandler((request, response) => this.metrics.serve(request, response, facts()))
  }

  /** Reconciles every repository now, and then regularly. */
  async watch(): Promise<void> {
    await this.#visitAll()
    this.#timers.every(this.#options.settings.reconcileMs, () => void this.#visitAll())
  }

  /** Whether nothing waits and nothing is being worked on. */
  get isIdle(): boolean {
    return this.workload.tasks === 0
  }

  get workload(): Workload {
    return { tasks: this.#queue.size, requests: this.#loaded.repositories.underWay }
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
    if (isAboutRepository(name)) this.#loaded.repositories.note(envelope.repository)
    const event = readEvent(name, payload)
    const { repository, sender } = envelope
    if (event.type === 'commented' && findCommand(event.body))
      void this.#acknowledge(repository, { event, sender })
    const evidence = this.#evidence.get(repository.id) ?? []
    this.#evidence.set(repository.id, [...evidence, { delivery, evidence: { event, sender } }])
    this.#addEvidence(repository, `${name} ${delivery}`, isByPerson(event))
  }

  #addEvidence(repository: InstalledRepository, what: string, isUrgent: boolean): void {
    const follow = (): Promise<void> => this.#followEvidence(repository)
    this.#add(repository.id, what, follow, { isUrgent, onFailure: () => this.#retryEvidence(repository) })
  }

  // Evidence that is left was never handed over, and no other task may come for it. What is old is let go: the timer
  // finds most of it, and a tick of long ago is no wish of today.
  #retryEvidence(repository: InstalledRepository): void {
    const { id } = repository
    const left = this.#evidence.get(id)?.length ?? 0
    if (left === 0 || this.#isStopped || this.#retrying.has(id)) return
    const tried = this.#retries.get(id) ?? 0
    if (tried < MOST_RETRIES) {
      this.#retries.set(id, tried + 1)
      this.#retrying.add(id)
      this.#timers.after(RETRY_MS * 2 ** tried, () => {
        this.#retrying.delete(id)
        this.#addEvidence(repository, 'retry', true)
      })
      return
    }
    this.#retries.delete(id)
    this.#evidence.delete(id)
    this.#loaded.log('error', 'evidence was let go', { repository: id, pieces: left })
  }

  // Outside the queue: what is under way there may wait long for what GitHub allows.
  async #acknowledge(repository: InstalledRepository, said: Evidence<'commented'>): Promise<void> {
    try {
      await (await this.#loaded.repositories.find(repository))?.acknowledge(said)
    } catch (error) {
      this.#loaded.log('warn', 'a command was not acknowledged', { repository: repository.id, error })
    }
  }

  // Evidence that arrived together is one reconcile: an earlier one may have taken it along.
  async #followEvidence(repository: InstalledRepository): Promise<void> {
    // Found first: what is taken must be handed over.
    const reconciler = await this.#loaded.repositories.find(repository)
    const brought = this.#takeEvidence(repository.id)
    this.#retries.delete(repository.id)
    if (reconciler === undefined) return
    const claimed: Delivered[] = []
    for (const each of brought)
      if (await this.#coordination.claim(`delivery ${each.delivery}`)) claimed.push(each)
    if (claimed.length === 0) return
    try {
      const evidence = claimed.map((each) => each.evidence)
      await this.#reconcile(repository, reconciler, evidence)
    } catch (error) {
      // GitHub keeps the id when somebody has it send a delivery again: one that failed is not a double.
      for (const { delivery, evidence } of claimed)
        if (reconciler.failed.includes(evidence.event))
          await this.#coordination.release(`delivery ${delivery}`)
      throw error
    }
  }

  // What people did comes first, and all of it. Of the rest only so much that people who come next do not wait long.
  #takeEvidence(repository: number): readonly Delivered[] {
    const all = this.#evidence.get(repository) ?? []
    const byPeople = all.filter(({ evidence }) => isByPerson(evidence.event))
    const taken = byPeople.length > 0 ? byPeople : all.slice(0, BATCH)
    const rest = all.filter((each) => !taken.includes(each))
    if (rest.length === 0) this.#evidence.delete(repository)
    else this.#evidence.set(repository, rest)
    return taken
  }

  async #reconcile(
    { id }: InstalledRepository,
    reconciler: RepositoryReconciler,
    evidence?: readonly Evidence[],
  ): Promise<void> {
    try {
      this.#wakeFor(id, await reconciler.reconcile(evidence))
    } catch (error) {
      this.#wakeFor(id, reconciler.outlook)
      throw error
    }
  }

  // The timer of all repositories sees to runs and people; what was put off, and slots, come between its rounds.
  #wakeFor(id: number, { waitsFor, nextAt }: Outlook): void {
    this.#wakes.get(id)?.()
    this.#wakes.delete(id)
    if (this.#isStopped || !waitsFor.some((what) => what === 'commit' || what === 'schedule')) return
    const wake = this.#timers.after(nextAt - this.#clock.now(), () => {
      const names = this.#loaded.repositories.known().find((each) => each.id === id)
      if (names !== undefined) this.#addReconcile(names, [])
    })
    this.#wakes.set(id, wake)
  }

  #followInstallation({ installation, isUsable, isRenewed }: InstallationChange): void {
    this.#loaded.repositories.noteInstallation(installation, isUsable)
    if (isRenewed) this.#loaded.repositories.renew(installation)
    if (isUsable) void this.#visit(installation)
  }

  #add(
    repository: number,
    what: string,
    task: () => Promise<void>,
    { isUrgent = false, onFailure }: { readonly isUrgent?: boolean; readonly onFailure?: () => void } = {},
  ): void {
    const attempt = async (): Promise<void> => {
      try {
        await this.#coordination.withLock(repository, async (lease) => {
          this.#leases.set(repository, lease)
          if (!lease.isUnbroken) await this.#loaded.repositories.reload(repository)
          await task()
        })
      } catch (error) {
        this.metrics.count('failures', what.split(' ')[0] ?? '')
        this.#loaded.log('error', `${what} failed`, { repository, error })
        onFailure?.()
      }
    }
    this.#queue.add(repository, attempt, isUrgent)
  }

  async #visitAll(): Promise<void> {
    const nowMs = this.#clock.now()
    if (nowMs - this.#listedAt < this.#options.settings.fullReconcileMs) {
      for (const names of this.#loaded.repositories.known()) this.#visitRepository(names)
      return
    }
    this.#listedAt = nowMs
    try {
      for (const { id, isUsable } of await listInstallations(this.#loaded.requester)) {
        this.#loaded.repositories.noteInstallation(id, isUsable)
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
    const { requester, repositories, log } = this.#loaded
    try {
      const listed = await listRepositories(requester, installation, this.#options.baseUrl)
      repositories.keepOnly(installation, listed)
      for (const names of listed) {
        repositories.note(names)
        this.#visitRepository(names)
      }
    } catch (error) {
      log('warn', 'an installation could not be read', { installation, error })
    }
  }

  // A reconcile that takes longer than the interval must not pile up.
  #visitRepository(names: InstalledRepository): void {
    if (this.#due.has(names.id)) return
    this.#due.add(names.id)
    this.#addReconcile(names)
  }

  #addReconcile(names: InstalledRepository, evidence?: readonly Evidence[]): void {
    this.#add(names.id, evidence === undefined ? 'timer' : 'step', async () => {
      if (evidence === undefined) this.#due.delete(names.id)
      const reconciler = await this.#loaded.repositories.find(names)
      if (reconciler !== undefined) await this.#reconcile(names, reconciler, evidence)
    })
  }
}
