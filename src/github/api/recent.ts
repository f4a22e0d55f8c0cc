/** A cache of the most recently used values, up to a total weight. */
export class Recent<V> {
  readonly #values = new Map<string, V>()
  readonly #most: number
  readonly #weigh: (value: V) => number
  #weight = 0

  constructor(most: number, weigh: (value: V) => number = () => 1) {
    this.#most = most
    this.#weigh = weigh
  }

  get(key: string): V | undefined {
    const value = this.#values.get(key)
    if (value !== undefined) {
      this.#values.delete(key)
      this.#values.set(key, value)
    }
    return value
  }

  set(key: string, value: V): void {
    this.delete(key)
    this.#values.set(key, value)
    this.#weight += this.#weigh(value)
    for (const oldest of this.#values.keys()) {
      if (this.#weight <= this.#most) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const value = this.#values.get(key)
    if (value === undefined) return
    this.#values.delete(key)
    this.#weight -= this.#weigh(value)
  }
}
