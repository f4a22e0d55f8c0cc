/**
 * What several processes of the app share, when there are several: which deliveries were taken, and who works on a
 * repository. Without a shared one each process has its own; compare-and-swap on the state branch keeps them
 * correct all the same, they only do some work twice.
 */
export interface Coordination {
  /** True for the first one that asks about a key. */
  claim(key: string): Promise<boolean>
  /** Does the work while holding a repository's lock; `token` grows with every holder. */
  withLock<T>(repository: number, work: (token: number) => Promise<T>): Promise<T>
}

const KEYS_KEPT = 10_000

/** For one process: its own queue already lets one task at a time at a repository. */
export class OwnCoordination implements Coordination {
  readonly #claimed = new Set<string>()
  #token = 0

  async claim(key: string): Promise<boolean> {
    if (this.#claimed.has(key)) return false
    this.#claimed.add(key)
    const [oldest] = this.#claimed
    if (this.#claimed.size > KEYS_KEPT && oldest !== undefined) this.#claimed.delete(oldest)
    return true
  }

  async withLock<T>(_repository: number, work: (token: number) => Promise<T>): Promise<T> {
    this.#token += 1
    return await work(this.#token)
  }
}
