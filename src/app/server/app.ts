import type { ApplicationFunctionOptions, Probot } from 'probot'
import { redactSecrets } from '../../core/redact-secrets.ts'
import { type Clock, SYSTEM_CLOCK } from '../../github/api/clock.ts'
import type { InstalledRepository } from '../../github/installation/installed-repository.ts'
import type { AppRequester } from '../../github/installation/repository-transport.ts'
import { type Coordination, OwnCoordination } from '../coordination/coordination.ts'
import { RedisCoordination } from '../coordination/redis-coordination.ts'
import { RedisLink } from '../coordination/redis-link.ts'
import { findCommand } from '../people/command-syntax.ts'
import type { Log } from '../ports.ts'
import { type Evidence, isByPerson } from '../reconcile/evidence.ts'
import { findEnvelope, findInstallationChange, type InstallationChange } from './envelope.ts'
import { EvidenceInbox } from './evidence-inbox.ts'
import { cleanFacts } from './log.ts'
import { AppMetrics, type Workload } from './metrics.ts'
import { MissedPresses } from './missed-presses.ts'
import type { AppOptions } from './options.ts'
import { Repositories } from './repositories.ts'
import { Timers } from './timers.ts'
import { Visits } from './visits.ts'
import { isAboutRepository, readEvent } from './webhook-events.ts'

/** What exists once Probot has loaded the app. */
interface Loaded {
  readonly repositories: Repositories
  readonly inbox: EvidenceInbox
  readonly visits: Visits
  readonly presses: MissedPresses
  readonly log: Log
}

/** The app. It receives webhooks and reconciles the repositories that they are about. */
export class LoreleyApp {
  readonly #options: AppOptions
  readonly #clock: Clock
  readonly #coordination: Coordination
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
    const app: AppRequester = { request: (route, parameters) => octokit.request(route, parameters) }
    this.#parts = this.#createParts(app, log)
    // Answer the webhook first: nothing in its payload changes the answer.
    probot.onAny(({ id, name, payload }) => void setImmediate(() => this.#tryReceive(id, name, payload)))
    const facts = () => ({ workload: this.workload, isReady: this.#isReady })
    addHandler((request, response) => this.metrics.serve(request, response, facts()))
  }

  #createParts(app: AppRequester, log: Log): Loaded {
    const shared = { coordination: this.#coordination, timers: this.#timers, clock: this.#clock, log }
    const repositories = new Repositories({
      ...this.#options,
      app,
      clock: this.#clock,
      log,
      budgetOf: (installation) => this.#coordination.budgetOf(installation),
      mayPush: (repository) => this.#loaded.visits.mayPush(repository),
      onRequest: (kind) => this.metrics.count('requests', kind),
    })
    const inbox = new EvidenceInbox(shared)
    const visits = new Visits({ ...shared, repositories, inbox, metrics: this.metrics })
    return { repositories, inbox, visits, presses: new MissedPresses({ ...shared, app }), log }
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
    const { repositories, visits, log } = this.#loaded
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
    for (const names of repositories.known()) visits.visitOnce(names, onFailure)
    await visits.settled()
    return failures
  }

  /** Whether nothing waits and nothing is being worked on. */
  get isIdle(): boolean {
    return this.workload.tasks === 0
  }

  get workload(): Workload {
    return { tasks: this.#loaded.visits.size, requests: this.#loaded.repositories.underWay }
  }

  async settled(): Promise<void> {
    await this.#loaded.visits.settled()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#isReady = false
    this.#timers.clear()
    await this.#parts?.visits.stop()
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
    const { repositories, inbox, visits } = this.#loaded
    this.metrics.count('webhooks', name)
    const change = findInstallationChange(name, payload)
    if (change !== undefined) this.#followInstallation(change)
    const envelope = findEnvelope(payload)
    if (envelope === undefined) return
    const { repository, sender } = envelope
    if (isAboutRepository(name)) repositories.note(repository)
    const event = readEvent(name, payload)
    if (event.type === 'commented' && findCommand(event.body))
      void this.#acknowledge(repository, { event, sender })
    inbox.put(repository.id, { event, sender, delivery })
    visits.followEvidence(repository, `${name} ${delivery}`, isByPerson(event))
  }

  // Outside the queue, in which other work may wait for GitHub's limits.
  async #acknowledge(repository: InstalledRepository, said: Evidence<'commented'>): Promise<void> {
    try {
      await (await this.#loaded.repositories.find(repository))?.acknowledge(said)
    } catch (error) {
      this.#loaded.log('warn', 'a command was not acknowledged', { repository: repository.id, error })
    }
  }

  #followInstallation({ installation, isUsable, isRenewed }: InstallationChange): void {
    const { repositories, visits } = this.#loaded
    repositories.noteInstallation(installation, isUsable)
    if (isRenewed) repositories.renew(installation)
    if (isUsable) void repositories.list(installation, (names) => visits.visit(names))
  }

  async #visitAll(): Promise<void> {
    const { repositories, visits, log } = this.#loaded
    const nowMs = this.#clock.now()
    if (nowMs - this.#listedAt < this.#options.settings.fullReconcileMs) {
      for (const names of repositories.known()) visits.visit(names)
      return
    }
    this.#listedAt = nowMs
    try {
      await repositories.listAll((names) => visits.visit(names))
      for (const names of await this.#recoverPresses()) visits.followEvidence(names, 'press', true)
      this.#isReady = !this.#isStopped
    } catch (error) {
      this.#isReady = false
      this.#listedAt = Number.NEGATIVE_INFINITY
      log('warn', 'the installations could not be listed', { error })
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
}
