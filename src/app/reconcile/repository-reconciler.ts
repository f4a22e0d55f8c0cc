import { isForeign } from '../campaign/adoption.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import { type Evidence, isByPerson, type RepositoryEvent } from './evidence.ts'
import { type Outlook, outlookOf } from './outlook.ts'
import { idOf, type RepositoryPorts, Subjects, type Task } from './subjects.ts'

/** What a reconcile looks at besides its evidence. */
type Scope = 'evidence' | 'runs' | 'everything'

// One step may cause another, such as a confirmation and then its pull request. This bounds the chain.
const MOST_STEPS = 20

/**
 * Reconciles one repository: decides what to look at, follows the subjects one by one, and settles what is due. Nothing
 * depends on a webhook: it only means "look now" and brings evidence. Calls must not overlap.
 */
export class RepositoryReconciler {
  readonly #ports: RepositoryPorts
  readonly #subjects: Subjects
  #reconciledAt = Number.NEGATIVE_INFINITY
  #fullyReconciledAt = Number.NEGATIVE_INFINITY
  /** Something failed since the last full reconcile. The workflow may be missing: without it runs cannot be listed. */
  #isTroubled = false
  /** What failed in this reconcile. */
  #faults: unknown[] = []
  #failed: RepositoryEvent[] = []

  constructor(ports: RepositoryPorts) {
    this.#ports = ports
    this.#subjects = new Subjects(ports)
  }

  /** Acknowledges a command at once, outside the queue. */
  async acknowledge({ event, sender }: Evidence<'commented'>): Promise<void> {
    await this.#subjects.commands.comments.acknowledge(event, sender)
  }

  /** Reloads what another process may have changed. */
  async reload(): Promise<void> {
    await this.#subjects.campaigns.all()
  }

  /**
   * Does everything that is due and returns when to call it next. Without evidence it observes GitHub. With evidence it
   * observes only the subjects of the evidence. An empty list means that the time of an earlier outlook has come.
   */
  async reconcile(evidence?: readonly Evidence[]): Promise<Outlook> {
    const scope = this.#chooseScope(evidence)
    this.#faults = []
    this.#failed = []
    await this.#attendAll(this.#subjects.toldTasks(evidence ?? []))
    if (this.#subjects.isUnsure) this.#lookAgain()
    const [fault] = this.#faults
    try {
      await this.#attendAll(await this.#tasksFor(scope))
    } catch (error) {
      // Campaigns or config could not be read, so nothing was observed. The next reconcile is a full one.
      if (scope === 'everything') this.#lookAgain()
      throw error
    } finally {
      await this.#settle()
    }
    // Tell the caller that the evidence failed, so that it can be delivered again.
    if (fault !== undefined) throw fault
    return this.outlook
  }

  /**
   * Commits and reports everything that was gathered for later. Call it before the process ends; otherwise the next
   * process starts over.
   */
  async finish(): Promise<Outlook> {
    for (let step = 0; step < MOST_STEPS; step++) {
      const gathering = this.#drivers.filter(({ isGathering }) => isGathering)
      if (gathering.length === 0) break
      await this.#attendAll(gathering.map((driver) => ({ what: idOf(driver), work: () => driver.finish() })))
    }
    return this.outlook
  }

  // A sleeping server misses its timers, so evidence after a long gap triggers a wider look.
  #chooseScope(evidence: readonly Evidence[] | undefined): Scope {
    const { clock, settings } = this.#ports
    const now = clock.now()
    const patienceMs = evidence?.length === 0 ? settings.reconcileMs : 2 * settings.reconcileMs
    if (evidence !== undefined && now - this.#reconciledAt < patienceMs) return 'evidence'
    this.#reconciledAt = now
    if (now - this.#fullyReconciledAt < settings.fullReconcileMs) return 'runs'
    this.#fullyReconciledAt = now
    return 'everything'
  }

  async #tasksFor(scope: Scope): Promise<readonly Task[]> {
    const { campaigns, config, schedule } = this.#subjects
    const { clock, settings } = this.#ports
    const isSlotDue = schedule.nextAt !== undefined && schedule.nextAt <= clock.now()
    if (scope === 'evidence') return isSlotDue ? [this.#subjects.scheduleTask()] : []
    const drivers = (await campaigns.all(scope === 'runs' ? settings.reconcileMs : 0)).filter(isOwn)
    if (scope === 'runs') return [...this.#subjects.runTasks(drivers), this.#subjects.scheduleTask()]
    const reading = await config.read()
    if (reading.status === 'missing' && drivers.length === 0) return []
    const isSuspect = this.#isTroubled
    this.#isTroubled = false
    return this.#subjects.allTasks(reading, drivers, isSuspect)
  }

  /** Makes the next reconcile a full one. */
  #lookAgain(): void {
    this.#fullyReconciledAt = Number.NEGATIVE_INFINITY
    this.#subjects.isUnsure = false
  }

  async #settle(): Promise<void> {
    for (let step = 0; step < MOST_STEPS; step++) {
      const now = this.#ports.clock.now()
      const due = this.#drivers.filter(({ dueAt = Number.POSITIVE_INFINITY }) => dueAt <= now)
      if (due.length === 0) return
      await this.#attendAll(due.map((driver) => ({ what: idOf(driver), work: () => driver.settle() })))
    }
  }

  // A failure of one subject does not delay the others.
  async #attendAll(tasks: readonly Task[]): Promise<void> {
    for (const { what, told = [], work } of tasks)
      try {
        await work()
      } catch (error) {
        this.#isTroubled = true
        this.#faults.push(error)
        this.#failed.push(...told.map(({ event }) => event))
        // GitHub may not deliver it again, so find it by observation.
        if (told.some(({ event }) => isByPerson(event))) this.#lookAgain()
        this.#ports.log('error', `${what} could not be reconciled`, { error })
      }
  }

  /** What went wrong since the last reconcile began. */
  get faults(): readonly unknown[] {
    return this.#faults
  }

  /** The evidence that the last reconcile failed to handle. */
  get failed(): readonly RepositoryEvent[] {
    return this.#failed
  }

  get #drivers(): readonly CampaignDriver[] {
    return this.#subjects.campaigns.known
  }

  /** What the repository waits for now. */
  get outlook(): Outlook {
    const { clock, settings } = this.#ports
    const waiting = {
      drivers: this.#drivers,
      slotAt: this.#subjects.schedule.nextAt,
      reconciledAt: this.#reconciledAt,
      fullyReconciledAt: this.#fullyReconciledAt,
      now: clock.now(),
    }
    return outlookOf(waiting, settings)
  }
}

// Campaigns of a local host are only shown.
function isOwn(driver: CampaignDriver): boolean {
  return !isForeign(driver)
}
