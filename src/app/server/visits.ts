import type { Clock } from '../../github/api/clock.ts'
import type { InstalledRepository } from '../../github/installation/installed-repository.ts'
import type { Coordination, Lease } from '../coordination/coordination.ts'
import type { Log } from '../ports.ts'
import type { Outlook } from '../reconcile/outlook.ts'
import type { RepositoryReconciler } from '../reconcile/repository-reconciler.ts'
import type { Delivered, EvidenceInbox } from './evidence-inbox.ts'
import type { AppMetrics } from './metrics.ts'
import type { Repositories } from './repositories.ts'
import { RepositoryQueue } from './repository-queue.ts'
import type { Timers } from './timers.ts'

interface VisitsParts {
  readonly coordination: Coordination
  readonly repositories: Repositories
  readonly inbox: EvidenceInbox
  readonly timers: Timers
  readonly clock: Clock
  readonly metrics: AppMetrics
  readonly log: Log
}

interface TaskOptions {
  readonly isUrgent?: boolean
  readonly onFailure?: () => void
}

const SIDE_BY_SIDE = 16

/** Reconciles repositories: one task at a time for each, under its lock, and again when its outlook says so. */
export class Visits {
  readonly #parts: VisitsParts
  readonly #queue = new RepositoryQueue(SIDE_BY_SIDE)
  readonly #leases = new Map<number, Lease>()
  /** By repository: cancels the reconcile that the last one asked for. */
  readonly #wakes = new Map<number, () => void>()
  /** Repositories whose regular reconcile is in the queue. */
  readonly #due = new Set<number>()
  #isStopped = false

  constructor(parts: VisitsParts) {
    this.#parts = parts
  }

  /** The regular reconcile. One that takes longer than the interval does not pile up. */
  visit(names: InstalledRepository): void {
    if (this.#due.has(names.id)) return
    this.#due.add(names.id)
    this.#add(names.id, 'timer', async () => {
      this.#due.delete(names.id)
      await this.#reconcile(names)
    })
  }

  /** Follows the evidence in the inbox. What fails is tried again later. */
  followEvidence(names: InstalledRepository, what: string, isUrgent: boolean): void {
    const { inbox } = this.#parts
    const retry = (): void => this.followEvidence(names, 'retry', true)
    this.#add(names.id, what, () => this.#followEvidence(names), {
      isUrgent,
      onFailure: () => this.#isStopped || inbox.retryLater(names.id, retry),
    })
  }

  /** Reconciles once and commits what was gathered, because the process ends then. */
  visitOnce(names: InstalledRepository, onFailure: () => void): void {
    this.#add(names.id, 'reconcile', () => this.#reconcileAndFinish(names), { onFailure })
  }

  /** False if another process has taken over the repository. */
  async mayPush(repository: number): Promise<boolean> {
    return (await this.#leases.get(repository)?.isHeld()) ?? true
  }

  /** How many tasks wait or run. */
  get size(): number {
    return this.#queue.size
  }

  async settled(): Promise<void> {
    await this.#queue.settled()
  }

  /** Finishes what waits, and asks for nothing more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#queue.settled()
  }

  #add(repository: number, what: string, task: () => Promise<void>, options: TaskOptions = {}): void {
    const { coordination, repositories, metrics, log } = this.#parts
    const attempt = async (): Promise<void> => {
      try {
        await coordination.withLock(repository, async (lease) => {
          this.#leases.set(repository, lease)
          if (!lease.isUnbroken) await repositories.reload(repository)
          await task()
        })
      } catch (error) {
        metrics.count('failures', what.split(' ')[0] ?? '')
        log('error', `${what} failed`, { repository, error })
        options.onFailure?.()
      }
    }
    this.#queue.add(repository, attempt, options.isUrgent)
  }

  // One reconcile takes all evidence that has arrived, so a later task may find none.
  async #followEvidence(names: InstalledRepository): Promise<void> {
    const { repositories, inbox } = this.#parts
    if ((await repositories.find(names)) === undefined) return inbox.drop(names.id)
    const evidence = await inbox.take(names.id)
    if (evidence.length > 0) await this.#reconcile(names, evidence)
  }

  async #reconcile(names: InstalledRepository, evidence?: readonly Delivered[]): Promise<void> {
    const reconciler = await this.#parts.repositories.find(names)
    if (reconciler === undefined) return
    try {
      await this.#tryReconcile(reconciler, evidence)
    } finally {
      this.#wakeFor(names.id, reconciler.outlook)
    }
  }

  async #reconcileAndFinish(names: InstalledRepository): Promise<void> {
    const { repositories, inbox, log } = this.#parts
    const reconciler = await repositories.find(names)
    if (reconciler === undefined) return
    const evidence = await inbox.take(names.id)
    try {
      await this.#tryReconcile(reconciler, evidence.length === 0 ? undefined : evidence)
    } finally {
      const { waitsFor, nextAt } = await reconciler.finish()
      const repository = `${names.owner}/${names.name}`
      log('info', 'reconciled', { repository, waitsFor, nextAt: new Date(nextAt).toISOString() })
    }
    const [fault] = reconciler.faults
    if (fault !== undefined) throw fault
  }

  async #tryReconcile(reconciler: RepositoryReconciler, evidence?: readonly Delivered[]): Promise<void> {
    try {
      await reconciler.reconcile(evidence)
    } catch (error) {
      const { failed } = reconciler
      await this.#parts.inbox.release((evidence ?? []).filter(({ event }) => failed.includes(event)))
      throw error
    }
  }

  // Regular visits follow runs and people. Commits, reports and slots of the schedule come between them.
  #wakeFor(id: number, { waitsFor, nextAt }: Outlook): void {
    const { timers, clock, repositories } = this.#parts
    this.#wakes.get(id)?.()
    this.#wakes.delete(id)
    if (this.#isStopped || !waitsFor.some((what) => what === 'commit' || what === 'schedule')) return
    const wake = timers.after(nextAt - clock.now(), () => {
      const names = repositories.known().find((each) => each.id === id)
      if (names !== undefined) this.#add(id, 'step', () => this.#reconcile(names, []))
    })
    this.#wakes.set(id, wake)
  }
}
