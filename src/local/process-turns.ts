/**
 * Keeps what agents and their checks start away from measurements: code that watches a measurement from beside could slow
 * down the root's turns alone. Programs run together, a measurement runs alone, and both start in the order in which they
 * came. A program is waited for, not frozen: its time limit bounds that, and what it started has ended for certain.
 */
export class ProcessTurns {
  readonly #waiting: { readonly isAlone: boolean; readonly start: () => void }[] = []
  #programs = 0
  #isMeasuring = false

  /** Runs programs of an agent or a check. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter(false)
    try {
      return await work()
    } finally {
      this.#programs--
      this.#startWaiting()
    }
  }

  /** Measures while no such program runs. */
  async measure<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter(true)
    try {
      return await work()
    } finally {
      this.#isMeasuring = false
      this.#startWaiting()
    }
  }

  #enter(isAlone: boolean): Promise<void> {
    return new Promise((start) => {
      this.#waiting.push({ isAlone, start })
      this.#startWaiting()
    })
  }

  #startWaiting(): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      if (this.#isMeasuring || (next.isAlone && this.#programs > 0)) return
      this.#waiting.shift()
      if (next.isAlone) this.#isMeasuring = true
      else this.#programs++
      next.start()
    }
  }
}
