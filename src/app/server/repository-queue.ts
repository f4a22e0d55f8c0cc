import { setImmediate as nextTurn } from 'node:timers/promises'

/** Something to do for a repository. It must not throw: what goes wrong is its own to tell. */
type Task = () => Promise<void>

/** What waits for one repository, each in order. */
interface Waiting {
  /** What people ask for. */
  readonly urgent: Task[]
  readonly others: Task[]
}

/**
 * Works off tasks: for one repository one at a time, the urgent ones first, for several side by side and in turn, so
 * that a busy repository never keeps the others waiting.
 */
export class RepositoryQueue {
  readonly #waiting = new Map<number, Waiting>()
  readonly #busy = new Set<number>()
  readonly #most: number
  #idle: (() => void)[] = []

  constructor(most: number) {
    this.#most = most
  }

  add(repository: number, task: Task, isUrgent = false): void {
    const waiting = this.#waiting.get(repository) ?? { urgent: [], others: [] }
    waiting[isUrgent ? 'urgent' : 'others'].push(task)
    this.#waiting.set(repository, waiting)
    this.#pump()
  }

  /** How many tasks wait or are being worked on. */
  get size(): number {
    return [...this.#waiting.values()].reduce((sum, waiting) => sum + countOf(waiting), this.#busy.size)
  }

  /** Resolves when nothing waits and nothing is being worked on. */
  async settled(): Promise<void> {
    if (this.size === 0) return
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #pump(): void {
    for (const [repository, waiting] of this.#waiting) {
      if (this.#busy.size >= this.#most) return
      if (this.#busy.has(repository)) continue
      const task = waiting.urgent.shift() ?? waiting.others.shift()
      // To the end of the line: the next free slot goes to another repository.
      this.#waiting.delete(repository)
      if (countOf(waiting) > 0) this.#waiting.set(repository, waiting)
      if (task !== undefined) void this.#work(repository, task)
    }
  }

  async #work(repository: number, task: Task): Promise<void> {
    this.#busy.add(repository)
    try {
      // Whoever brought it gets their answer first: a webhook's is written before this turn ends.
      await nextTurn()
      await task()
    } finally {
      this.#busy.delete(repository)
      this.#pump()
      if (this.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
    }
  }
}

function countOf({ urgent, others }: Waiting): number {
  return urgent.length + others.length
}
