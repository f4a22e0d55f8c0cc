import { type HookDelivery, listDeliveries, readPayload } from '../../github/installation/hook-deliveries.ts'
import type { AppRequester } from '../../github/installation/repository-transport.ts'
import type { ClockPort, LogPort } from '../ports.ts'

/** A press of a check-run button, as its webhook told of it. */
export interface Press {
  /** The GUID of its delivery. */
  readonly delivery: string
  readonly payload: unknown
}

type PressPorts = ClockPort & LogPort & { readonly app: AppRequester }

const HOUR_MS = 3_600_000
/** Deliveries that were under way at the last look may appear late in the log. */
const OVERLAP_MS = 5 * 60_000

/**
 * Finds presses of check-run buttons whose webhooks were lost. GitHub keeps no other record of them than the App's own
 * log of deliveries.
 */
export class MissedPresses {
  readonly #ports: PressPorts
  /** By GUID: presses of the last hour, whether their repository is known or not. */
  readonly #listed = new Map<string, HookDelivery>()
  /** By GUID: what was read of them. */
  readonly #presses = new Map<string, Press>()
  #readTo = Number.NEGATIVE_INFINITY
  #isTold = false

  constructor(ports: PressPorts) {
    this.#ports = ports
  }

  /**
   * All presses of the last hour in these repositories, obeyed or not: whoever obeys one knows. So one that failed is
   * tried again at the next call.
   */
  async find(isKnown: (repository: number) => boolean): Promise<readonly Press[]> {
    try {
      await this.#list()
    } catch (error) {
      this.#tell(error)
    }
    const wanted = [...this.#listed.values()].filter(({ repository }) => isKnown(repository ?? 0))
    const found: Press[] = []
    for (const delivery of wanted) found.push(...(await this.#tryRead(delivery)))
    return found
  }

  async #list(): Promise<void> {
    const nowMs = this.#ports.clock.now()
    for (const [guid, { atMs }] of this.#listed) {
      if (atMs >= nowMs - HOUR_MS) continue
      this.#listed.delete(guid)
      this.#presses.delete(guid)
    }
    const since = Math.max(this.#readTo - OVERLAP_MS, nowMs - HOUR_MS)
    const listed = await listDeliveries(this.#ports.app, since)
    // Oldest first, in the order in which people pressed.
    for (const each of listed.toReversed())
      if (isPress(each) && !this.#listed.has(each.guid)) this.#listed.set(each.guid, each)
    this.#readTo = nowMs
  }

  // One that cannot be read does not hold up the others, and is read at the next call.
  async #tryRead({ id, guid }: HookDelivery): Promise<readonly Press[]> {
    const known = this.#presses.get(guid)
    if (known !== undefined) return [known]
    try {
      const press = { delivery: guid, payload: await readPayload(this.#ports.app, id) }
      this.#presses.set(guid, press)
      return [press]
    } catch (error) {
      this.#ports.log('warn', 'a webhook in the log could not be read', { id, error })
      return []
    }
  }

  // Without the log, the comment commands do the same.
  #tell(error: unknown): void {
    const { log } = this.#ports
    if (!isRefusal(error)) log('warn', 'the log of webhooks could not be read', { error })
    else if (!this.#isTold) log('info', 'GitHub shows no log of webhooks: lost button presses stay lost')
    this.#isTold ||= isRefusal(error)
  }
}

function isPress({ event, action }: Pick<HookDelivery, 'event' | 'action'>): boolean {
  return event === 'check_run' && action === 'requested_action'
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'status' in error && (error.status === 403 || error.status === 404)
}
