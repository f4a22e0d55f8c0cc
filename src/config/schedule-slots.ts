import { Cron } from 'croner'
import type { ScheduleConfig } from './campaign-config.ts'

/** When a schedule fires around now, in milliseconds. */
export interface Slots {
  /** The latest slot that is not in the future. */
  readonly last: number | undefined
  readonly next: number | undefined
}

const MINUTE_MS = 60_000

/** When a schedule last fired within the last `backMs`, and when it fires next. */
export function findSlots({ cron, timeZone }: ScheduleConfig, nowMs: number, backMs: number): Slots {
  const pattern = new Cron(cron, { mode: '5-part', timezone: timeZone })
  const next = pattern.nextRun(new Date(nowMs))?.getTime()
  let last: number | undefined
  // Search forward: the pattern only finds the next moment after a given one, and its smallest step is a minute.
  for (let from = nowMs - backMs - MINUTE_MS; ; ) {
    const slot = pattern.nextRun(new Date(from))?.getTime()
    if (slot === undefined || slot > nowMs) return { last, next }
    last = slot
    from = slot
  }
}
