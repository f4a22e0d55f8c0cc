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
  /** By GUID: presses of the last hour. */
  readonly #presses = new Map<string, Press & { readonly atMs: number }>()
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
    const nowMs = this.#ports.clock.now()
    for (const [guid, { atMs }] of this.#presses) if (atMs < nowMs - HOUR_MS) this.#presses.delete(guid)
    try {
      await this.#read(nowMs, isKnown)
    } catch (error) {
      this.#tell(error)
    }
    return [...this.#presses.values()]
  }

  async #read(nowMs: number, isKnown: (repository: number) => boolean): Promise<void> {
    const { app } = this.#ports
    const listed = await listDeliveries(app, Math.max(this.#readTo - OVERLAP_MS, nowMs - HOUR_MS))
    // Oldest first, in the order in which people pressed.
    for (const { id, guid, atMs, ...facts } of listed.toReversed()) {
      if (!isPress(facts) || !isKnown(facts.repository ?? 0) || this.#presses.has(guid)) continue
      const payload = await this.#tryPayload(id)
      if (payload !== undefined) this.#presses.set(guid, { delivery: guid, payload, atMs })
    }
    this.#readTo = nowMs
  }

  // One that cannot be read does not hold up the others.
  async #tryPayload(id: number): Promise<unknown> {
    try {
      return await readPayload(this.#ports.app, id)
    } catch (error) {
      this.#ports.log('warn', 'a webhook in the log could not be read', { id, error })
      return undefined
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
