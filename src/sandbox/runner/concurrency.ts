import { evaluate, evaluateText, type Scope } from './syntax/evaluate.ts'
import { Expression, type Template, TemplateMap } from './syntax/template.ts'

/** The evaluated `concurrency`. */
export interface GroupOptions {
  readonly group: string
  readonly cancelInProgress: boolean
  /** How many may wait: 1 for GitHub's `queue: single`, 100 for `max`. */
  readonly maxPending: number
}

const MAX_QUEUE = 100

/** Reads `concurrency` of a workflow or a job. Undefined when it names no group. */
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
  /** Cancels it because a newer member replaces it. */
  readonly cancel: () => void
  readonly enter: () => void
}

interface Group {
  running: Member | undefined
  readonly pending: Member[]
}

/** The concurrency groups of all repositories. One member of a group runs, and the newest others wait. */
export class ConcurrencyGroups {
  readonly #groups = new Map<string, Group>()

  /**
   * Runs the work once the group is free. Undefined when the signal aborts first. When too many wait, the
   * oldest are cancelled. With `cancelInProgress`, so is the running member.
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
        // Has no effect if the member has already entered.
        resolve(undefined)
      })
      group.pending.push(member)
      const tooMany = group.pending.slice(0, Math.max(0, group.pending.length - options.maxPending))
      for (const older of options.cancelInProgress ? [group.running, ...tooMany] : tooMany) older.cancel()
    })
  }
}
