import { Cron } from 'croner'
import type { ScheduleConfig } from './campaign-config.ts'

/** The moments around now at which a schedule fires, in milliseconds. */
export interface Slots {
  /** The latest one until now. */
  readonly last: number | undefined
  readonly next: number | undefined
}

const MINUTE_MS = 60_000

/** When a schedule fired last, looking back so far, and when it fires next. */
export function findSlots({ cron, timeZone }: ScheduleConfig, nowMs: number, backMs: number): Slots {
  const pattern = new Cron(cron, { mode: '5-part', timezone: timeZone })
  const next = pattern.nextRun(new Date(nowMs))?.getTime()
  let last: number | undefined
  // Forward from the past: the pattern knows only what comes after a moment, and its smallest step is a minute.
  for (let from = nowMs - backMs - MINUTE_MS; ; ) {
    const slot = pattern.nextRun(new Date(from))?.getTime()
    if (slot === undefined || slot > nowMs) return { last, next }
    last = slot
    from = slot
  }
}
