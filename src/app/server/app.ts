import type { ApplicationFunctionOptions, Probot } from 'probot'
import { redactSecrets } from '../../core/redact-secrets.ts'
import { type Clock, SYSTEM_CLOCK } from '../../github/api/clock.ts'
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
import { type Delivered, EvidenceInbox } from './evidence-inbox.ts'
import { cleanFacts } from './log.ts'
import { AppMetrics, type Workload } from './metrics.ts'
import { MissedPresses } from './missed-presses.ts'
import type { AppOptions } from './options.ts'
import { Repositories } from './repositories.ts'
import { RepositoryQueue } from './repository-queue.ts'
import { Timers } from './timers.ts'
import { isAboutRepository, readEvent } from './webhook-events.ts'

const SIDE_BY_SIDE = 16

/** What exists once Probot has loaded the app. */
interface Loaded {
  readonly repositories: Repositories
  readonly inbox: EvidenceInbox
  readonly presses: MissedPresses
  readonly log: Log
}

/** The app. It receives webhooks and reconciles the repositories that they are about. */
export class LoreleyApp {
  readonly #options: AppOptions
  readonly #clock: Clock
  readonly #coordination: Coordination
  readonly #queue = new RepositoryQueue(SIDE_BY_SIDE)
  readonly #leases = new Map<number, Lease>()
  /** By repository: cancels the reconcile that the last one asked for. */
  readonly #wakes = new Map<number, () => void>()
  /** Repositories whose regular reconcile is in the queue. */
  readonly #due = new Set<number>()
  readonly #timers: Timers
  readonly metrics = new AppMetrics()
  #parts: Loaded | undefined
  #listedAt = Number.NEGATIVE_INFINITY
  /** True once GitHub has answered, which needs a valid key. False again once the app is stopped. */
  #isReady = false
  #isStopped = false

  constructor(options: AppOptions) {
    this.#options = options
    this.#clock = options.clock ?? SYSTEM_CLOCK
    this.#timers = new Timers(this.#clock)
    this.#coordination = this.#openCoordination()
  }

  // Redis coordinates several processes. A single one needs none.
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

  /** Called by Probot. */
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
    const inbox = new EvidenceInbox({ coordination: this.#coordination, timers: this.#timers, log })
    const presses = new MissedPresses({ app: requester, clock: this.#clock, log })
    this.#parts = { repositories, inbox, presses, log }
    // Answer the webhook first: nothing in its payload changes the answer.
    probot.onAny(({ id, name, payload }) => void setImmediate(() => this.#tryReceive(id, name, payload)))
    const facts = () => ({ workload: this.workload, isReady: this.#isReady })
    addHandler((request, response) => this.metrics.serve(request, response, facts()))
  }

  /** Reconciles every repository now, and then regularly. */
  async watch(): Promise<void> {
    await this.#visitAll()
    this.#timers.every(this.#options.settings.reconcileMs, () => void this.#visitAll())
  }

  /**
   * Reconciles every repository once, and commits what was gathered: the process may end then. Returns how many
   * repositories and installations failed.
   */
  async reconcileOnce(): Promise<number> {
    const { repositories, log } = this.#loaded
    let failures = 0
    try {
      failures += await repositories.listAll()
      await this.#recoverPresses()
    } catch (error) {
      failures += 1
      log('error', 'the installations could not be listed', { error })
    }
    const onFailure = (): void => {
      failures += 1
    }
    for (const names of repositories.known())
      this.#add(names.id, 'reconcile', () => this.#reconcileAndFinish(names), { onFailure })
    await this.#queue.settled()
    return failures
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

  #receive(delivery: string, name: string, payload: unknown): void {
    this.metrics.count('webhooks', name)
    const change = findInstallationChange(name, payload)
    if (change !== undefined) this.#followInstallation(change)
    const envelope = findEnvelope(payload)
    if (envelope === undefined) return
    const { repository, sender } = envelope
    if (isAboutRepository(name)) this.#loaded.repositories.note(repository)
    const event = readEvent(name, payload)
    if (event.type === 'commented' && findCommand(event.body))
      void this.#acknowledge(repository, { event, sender })
    this.#loaded.inbox.put(repository.id, { event, sender, delivery })
    this.#addEvidence(repository, `${name} ${delivery}`, isByPerson(event))
  }

  #addEvidence(repository: InstalledRepository, what: string, isUrgent: boolean): void {
    const retry = (): void => this.#addEvidence(repository, 'retry', true)
    this.#add(repository.id, what, () => this.#followEvidence(repository), {
      isUrgent,
      onFailure: () => this.#isStopped || this.#loaded.inbox.retryLater(repository.id, retry),
    })
  }

  // Outside the queue, in which other work may wait for GitHub's limits.
  async #acknowledge(repository: InstalledRepository, said: Evidence<'commented'>): Promise<void> {
    try {
      await (await this.#loaded.repositories.find(repository))?.acknowledge(said)
    } catch (error) {
      this.#loaded.log('warn', 'a command was not acknowledged', { repository: repository.id, error })
    }
  }

  // One reconcile takes all evidence that has arrived, so a later task may find none.
  async #followEvidence(repository: InstalledRepository): Promise<void> {
    const { repositories, inbox } = this.#loaded
    const reconciler = await repositories.find(repository)
    if (reconciler === undefined) return inbox.drop(repository.id)
    const evidence = await inbox.take(repository.id)
    if (evidence.length > 0) await this.#reconcile(repository, reconciler, evidence)
  }

  async #reconcile(
    { id }: InstalledRepository,
    reconciler: RepositoryReconciler,
    evidence?: readonly Delivered[],
  ): Promise<void> {
    try {
      await reconciler.reconcile(evidence)
    } catch (error) {
      await this.#loaded.inbox.release(findFailed(reconciler, evidence))
      throw error
    } finally {
      this.#wakeFor(id, reconciler.outlook)
    }
  }

  async #reconcileAndFinish(names: InstalledRepository): Promise<void> {
    const { repositories, inbox, log } = this.#loaded
    const reconciler = await repositories.find(names)
    if (reconciler === undefined) return
    const evidence = await inbox.take(names.id)
    try {
      await reconciler.reconcile(evidence.length === 0 ? undefined : evidence)
    } catch (error) {
      await inbox.release(findFailed(reconciler, evidence))
      throw error
    } finally {
      const { waitsFor, nextAt } = await reconciler.finish()
      const repository = `${names.owner}/${names.name}`
      log('info', 'reconciled', { repository, waitsFor, nextAt: new Date(nextAt).toISOString() })
    }
    const [fault] = reconciler.faults
    if (fault !== undefined) throw fault
  }

  // Visits of all repositories follow runs and people. Commits, reports and slots of the schedule come between them.
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
    if (isUsable) void this.#loaded.repositories.list(installation, (names) => this.#visit(names))
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
      for (const names of this.#loaded.repositories.known()) this.#visit(names)
      return
    }
    this.#listedAt = nowMs
    try {
      await this.#loaded.repositories.listAll((names) => this.#visit(names))
      for (const repository of await this.#recoverPresses()) this.#addEvidence(repository, 'press', true)
      this.#isReady = !this.#isStopped
    } catch (error) {
      this.#isReady = false
      this.#listedAt = Number.NEGATIVE_INFINITY
      this.#loaded.log('warn', 'the installations could not be listed', { error })
    }
  }

  /** Puts button presses whose webhooks were lost into the inbox. Returns their repositories. */
  async #recoverPresses(): Promise<readonly InstalledRepository[]> {
    const { repositories, presses, inbox } = this.#loaded
    const known = new Map(repositories.known().map((names) => [names.id, names]))
    const found = new Set<InstalledRepository>()
    for (const { delivery, payload } of await presses.find((id) => known.has(id))) {
      const { repository, sender } = findEnvelope(payload) ?? {}
      const names = repository && known.get(repository.id)
      if (names === undefined || sender === undefined) continue
      inbox.put(names.id, { event: readEvent('check_run', payload), sender, delivery })
      found.add(names)
    }
    return [...found]
  }

  // A reconcile that takes longer than the interval must not pile up.
  #visit(names: InstalledRepository): void {
    if (this.#due.has(names.id)) return
    this.#due.add(names.id)
    this.#addReconcile(names)
  }

  #addReconcile(names: InstalledRepository, evidence?: readonly Delivered[]): void {
    this.#add(names.id, evidence === undefined ? 'timer' : 'step', async () => {
      if (evidence === undefined) this.#due.delete(names.id)
      const reconciler = await this.#loaded.repositories.find(names)
      if (reconciler !== undefined) await this.#reconcile(names, reconciler, evidence)
    })
  }
}

function findFailed(
  { failed }: RepositoryReconciler,
  evidence: readonly Delivered[] = [],
): readonly Delivered[] {
  return evidence.filter(({ event }) => failed.includes(event))
}
