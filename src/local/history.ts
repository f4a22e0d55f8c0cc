import type { LedgerEntry } from '../core/campaign/ledger.ts'
import type { Snapshot, StateStore } from '../store/state-store.ts'

// More lines would cost each job time and tell its agent little.
const MAX_LINES = 20_000

/** The ledger's lines in memory, read once and then followed. */
export class History {
  readonly #store: Pick<StateStore, 'readLedger'>
  readonly #current: () => Snapshot | undefined
  readonly #lines: LedgerEntry[] = []
  #reading: Promise<void> = Promise.resolve()

  constructor(store: Pick<StateStore, 'readLedger'>, current: () => Snapshot | undefined) {
    this.#store = store
    this.#current = current
  }

  /** The first `count` lines by ordinal. Of a very long ledger: the baseline and the latest lines. */
  async first(count: number): Promise<ReadonlyMap<number, LedgerEntry>> {
    if (this.#lines.length < count) {
      // One at a time: two concurrent readers would both append.
      this.#reading = this.#reading.then(() => this.#catchUp())
      await this.#reading
    }
    const lines = [
      ...this.#lines.slice(0, Math.min(1, count)),
      ...this.#lines.slice(Math.max(1, count - MAX_LINES), count),
    ]
    return new Map(lines.map((entry) => [entry.ordinal, entry]))
  }

  async #catchUp(): Promise<void> {
    const snapshot = this.#current()
    if (snapshot === undefined) return
    const { count, tail } = snapshot.state.ledger
    const tailStart = count - tail.length
    if (this.#lines.length >= tailStart) {
      this.#lines.push(...tail.slice(this.#lines.length - tailStart))
      return
    }
    this.#lines.length = 0
    for await (const entry of this.#store.readLedger(snapshot)) this.#lines.push(entry)
  }
}
