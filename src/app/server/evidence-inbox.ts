import type { Coordination } from '../coordination/coordination.ts'
import type { LogPort } from '../ports.ts'
import { type Evidence, isByPerson } from '../reconcile/evidence.ts'
import type { Timers } from './timers.ts'

/** Evidence that a webhook brought. */
export type Delivered = Evidence & { readonly delivery: string }

interface InboxPorts extends LogPort {
  readonly coordination: Pick<Coordination, 'claim' | 'release'>
  readonly timers: Pick<Timers, 'after'>
}

const BATCH = 8
/** Evidence is dropped after so many retries. Each waits twice as long as the one before. */
const MOST_RETRIES = 5
const RETRY_MS = 1000

/** Holds evidence until a reconcile takes it. Of several processes, one takes each delivery. */
export class EvidenceInbox {
  readonly #ports: InboxPorts
  /** By repository, in order of arrival. */
  readonly #waiting = new Map<number, readonly Delivered[]>()
  /** What this process has claimed and not taken yet. */
  readonly #claimed = new WeakSet<Delivered>()
  /** By repository: how often it was retried. */
  readonly #retries = new Map<number, number>()
  /** Repositories that will be retried. */
  readonly #retrying = new Set<number>()

  constructor(ports: InboxPorts) {
    this.#ports = ports
  }

  put(repository: number, evidence: Delivered): void {
    this.#waiting.set(repository, [...(this.#waiting.get(repository) ?? []), evidence])
  }

  /** The next evidence, without what another process has claimed. If claiming fails, all of it stays. */
  async take(repository: number): Promise<readonly Delivered[]> {
    const next = this.#findNext(repository)
    for (const each of next)
      if (!this.#claimed.has(each) && (await this.#ports.coordination.claim(keyOf(each))))
        this.#claimed.add(each)
    this.#remove(repository, next)
    this.#retries.delete(repository)
    return next.filter((each) => this.#claimed.has(each))
  }

  /** Drops everything about a repository that cannot be reconciled. */
  drop(repository: number): void {
    this.#waiting.delete(repository)
    this.#retries.delete(repository)
  }

  /** Lets evidence that failed count again when GitHub delivers it again, under the same GUID. */
  async release(failed: readonly Delivered[]): Promise<void> {
    for (const each of failed) await this.#ports.coordination.release(keyOf(each))
  }

  /** Calls `retry` later if evidence is left: no other task may come for it. */
  retryLater(repository: number, retry: () => void): void {
    const left = this.#waiting.get(repository)?.length ?? 0
    if (left === 0 || this.#retrying.has(repository)) return
    const tried = this.#retries.get(repository) ?? 0
    if (tried >= MOST_RETRIES) {
      // A full reconcile finds most of it.
      this.drop(repository)
      this.#ports.log('error', 'evidence was dropped', { repository, pieces: left })
      return
    }
    this.#retries.set(repository, tried + 1)
    this.#retrying.add(repository)
    this.#ports.timers.after(RETRY_MS * 2 ** tried, () => {
      this.#retrying.delete(repository)
      retry()
    })
  }

  // Everything that people did comes first. Other evidence comes in small batches, so that people need not wait for it.
  #findNext(repository: number): readonly Delivered[] {
    const all = this.#waiting.get(repository) ?? []
    const byPeople = all.filter(({ event }) => isByPerson(event))
    return byPeople.length > 0 ? byPeople : all.slice(0, BATCH)
  }

  #remove(repository: number, taken: readonly Delivered[]): void {
    const rest = (this.#waiting.get(repository) ?? []).filter((each) => !taken.includes(each))
    if (rest.length === 0) this.#waiting.delete(repository)
    else this.#waiting.set(repository, rest)
  }
}

function keyOf({ delivery }: Delivered): string {
  return `delivery ${delivery}`
}
