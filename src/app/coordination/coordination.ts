import type { SharedBudget } from '../../github/api/pacer.ts'

/**
 * What several processes of the app share, when there are several: which deliveries were taken, who works on a
 * repository, and how much may still be asked of GitHub. Without a shared one each process has its own;
 * compare-and-swap on the state branch keeps them correct all the same, they only do some work twice.
 */
export interface Coordination {
  /** True for the first one that asks about a key. */
  claim(key: string): Promise<boolean>
  /** Gives a key back that nothing came of. */
  release(key: string): Promise<void>
  /** Does the work while holding a repository's lock. */
  withLock<T>(repository: number, work: (lease: Lease) => Promise<T>): Promise<T>
  /** The writes that an installation has left, over all processes. */
  budgetOf(installation: number): SharedBudget
}

/** The right to work on a repository for a while. */
export interface Lease {
  /** Nobody else held it since this process did last: what the process remembers of the repository is true. */
  readonly isUnbroken: boolean
  /** False once another process took over, because this one seemed to be dead. */
  isHeld(): Promise<boolean>
}

const KEYS_KEPT = 10_000

const OWN_LEASE: Lease = { isUnbroken: true, isHeld: async () => true }

/** Nothing beyond the process's own pace. */
const OWN_BUDGET: SharedBudget = { reserve: async () => 0, hold: async () => undefined }

/** For one process: its own queue already lets one task at a time at a repository. */
export class OwnCoordination implements Coordination {
  readonly #claimed = new Set<string>()

  async claim(key: string): Promise<boolean> {
    if (this.#claimed.has(key)) return false
    this.#claimed.add(key)
    const [oldest] = this.#claimed
    if (this.#claimed.size > KEYS_KEPT && oldest !== undefined) this.#claimed.delete(oldest)
    return true
  }

  async release(key: string): Promise<void> {
    this.#claimed.delete(key)
  }

  async withLock<T>(_repository: number, work: (lease: Lease) => Promise<T>): Promise<T> {
    return await work(OWN_LEASE)
  }

  budgetOf(): SharedBudget {
    return OWN_BUDGET
  }
}
