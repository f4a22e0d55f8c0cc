/** A fixed number of slots. Tasks wait for a free one, first come, first served. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Runs the work in a slot. Undefined when the signal aborts before one is free. */
  async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
    if (!(await this.#take(signal))) return undefined
    try {
      return await work()
    } finally {
      this.#giveBack()
    }
  }

  async #take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false
    if (this.#free > 0) {
      this.#free -= 1
      return true
    }
    return await new Promise<boolean>((resolve) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        resolve(false)
      }
      const enter = (): void => {
        signal.removeEventListener('abort', onAbort)
        resolve(true)
      }
      this.#waiting.push(enter)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  #giveBack(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}
