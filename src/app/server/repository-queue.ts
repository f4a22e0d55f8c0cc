import { setImmediate as nextTurn } from 'node:timers/promises'

/** Work for one repository. It must handle its own errors and never throw. */
type Task = () => Promise<void>

/** The waiting tasks of one repository, in order. */
interface Waiting {
  /** Tasks that people wait for. */
  readonly urgent: Task[]
  readonly others: Task[]
}

/**
 * Runs tasks: one at a time per repository, urgent ones first. Several repositories run concurrently and take turns, so
 * that a busy one never delays the others.
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

  /** How many tasks are waiting or running. */
  get size(): number {
    return [...this.#waiting.values()].reduce((sum, waiting) => sum + countOf(waiting), this.#busy.size)
  }

  /** Resolves when no task is waiting or running. */
  async settled(): Promise<void> {
    if (this.size === 0) return
    await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #pump(): void {
    for (const [repository, waiting] of this.#waiting) {
      if (this.#busy.size >= this.#most) return
      if (this.#busy.has(repository)) continue
      const task = waiting.urgent.shift() ?? waiting.others.shift()
      // Move to the end of the line, so that the next free slot goes to another repository.
      this.#waiting.delete(repository)
      if (countOf(waiting) > 0) this.#waiting.set(repository, waiting)
      if (task !== undefined) void this.#work(repository, task)
    }
  }

  async #work(repository: number, task: Task): Promise<void> {
    this.#busy.add(repository)
    try {
      // Yield first: a webhook's answer is written before this turn ends.
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
