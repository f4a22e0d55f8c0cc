import type { SharedBudget } from '../../github/api/pacer.ts'

/**
 * State that several processes of the app share: which deliveries were taken, who works on a repository, and how many
 * requests are left. Without sharing, each process keeps its own. Compare-and-swap on the state branch keeps them
 * correct, but they do some work twice.
 */
export interface Coordination {
  /** True for the first caller with this key. */
  claim(key: string): Promise<boolean>
  /** Gives back a key whose work failed. */
  release(key: string): Promise<void>
  /** Runs the work while holding a repository's lock. */
  withLock<T>(repository: number, work: (lease: Lease) => Promise<T>): Promise<T>
  /** The writes that an installation has left, counted over all processes. */
  budgetOf(installation: number): SharedBudget
}

/** The right to work on a repository for a while. */
export interface Lease {
  /**
   * Nobody else held the lock since this process did, so what the process remembers about the repository is still true.
   */
  readonly isUnbroken: boolean
  /** False once another process took over because this one seemed dead. */
  isHeld(): Promise<boolean>
}

const KEYS_KEPT = 10_000

const OWN_LEASE: Lease = { isUnbroken: true, isHeld: async () => true }

/** No limit beyond the process's own pace. */
const OWN_BUDGET: SharedBudget = { reserve: async () => 0, hold: async () => undefined }

/** For a single process, whose queue already runs one task at a time per repository. */
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
