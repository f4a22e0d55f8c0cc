import { evaluate, evaluateText, type Scope } from './syntax/evaluate.ts'
import { Expression, type Template, TemplateMap } from './syntax/template.ts'

/** What `concurrency` says once it is evaluated. */
export interface GroupOptions {
  readonly group: string
  readonly cancelInProgress: boolean
  /** How many may wait: GitHub's `queue: single` is one, `max` a hundred. */
  readonly maxPending: number
}

const MAX_QUEUE = 100

/** Reads `concurrency` of a workflow or a job; undefined when it names no group. */
export function readConcurrency(template: Template | undefined, scope: Scope): GroupOptions | undefined {
  if (template === undefined || template === null) return undefined
  const value = template instanceof Expression ? evaluate(template, scope) : template
  const map = value instanceof TemplateMap ? value : undefined
  const group = map === undefined ? String(value) : evaluateText(map.find('group'), scope)
  if (group === '') return undefined
  return {
    group: group.toLowerCase(),
    cancelInProgress: evaluateText(map?.find('cancel-in-progress'), scope) === 'true',
    maxPending: evaluateText(map?.find('queue'), scope) === 'max' ? MAX_QUEUE : 1,
  }
}

interface Member {
  /** Ends it because another takes its place. */
  readonly cancel: () => void
  readonly enter: () => void
}

interface Group {
  running: Member | undefined
  readonly pending: Member[]
}

/** The concurrency groups of all repositories: one member of a group runs, the newest others wait. */
export class ConcurrencyGroups {
  readonly #groups = new Map<string, Group>()

  /**
   * Runs the work once the group is free; undefined when the signal came first. Whoever waits when too many wait
   * is cancelled, the oldest first; with `cancelInProgress` the one that runs is too.
   */
  async use<T>(
    key: string,
    { options, signal, cancel }: { options: GroupOptions; signal: AbortSignal; cancel: () => void },
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    const group = this.#groups.get(key) ?? { running: undefined, pending: [] }
    this.#groups.set(key, group)
    const member = await this.#enter(group, { options, signal, cancel })
    if (member === undefined) return undefined
    try {
      return await work()
    } finally {
      group.running = group.pending.shift()
      group.running?.enter()
      if (group.running === undefined) this.#groups.delete(key)
    }
  }

  async #enter(
    group: Group,
    { options, signal, cancel }: { options: GroupOptions; signal: AbortSignal; cancel: () => void },
  ): Promise<Member | undefined> {
    if (signal.aborted) return undefined
    return await new Promise<Member | undefined>((resolve) => {
      const member: Member = { cancel, enter: () => resolve(member) }
      if (group.running === undefined) {
        group.running = member
        resolve(member)
        return
      }
      signal.addEventListener('abort', () => {
        const position = group.pending.indexOf(member)
        if (position >= 0) group.pending.splice(position, 1)
        // Nothing happens when it has entered before: a promise is settled once.
        resolve(undefined)
      })
      group.pending.push(member)
      const tooMany = group.pending.slice(0, Math.max(0, group.pending.length - options.maxPending))
      for (const older of options.cancelInProgress ? [group.running, ...tooMany] : tooMany) older.cancel()
    })
  }
}
