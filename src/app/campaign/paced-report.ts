import type { ClockPort, SettingsPort } from '../ports.ts'

type ReportPorts = ClockPort & SettingsPort

/** Limits how often a report is written. Requests in between become one report. */
export class PacedReport {
  readonly #ports: ReportPorts
  readonly #report: () => Promise<void>
  #isWanted = false
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(ports: ReportPorts, report: () => Promise<void>) {
    this.#ports = ports
    this.#report = report
  }

  request(): void {
    this.#isWanted = true
  }

  /** The same, without waiting for the pace. */
  requestNow(): void {
    this.#isWanted = true
    this.#reportedAt = Number.NEGATIVE_INFINITY
  }

  /** When the next report may be written; undefined if none was requested. */
  get dueAt(): number | undefined {
    const { clock, settings } = this.#ports
    return this.#isWanted ? Math.max(this.#reportedAt + settings.reportMs, clock.now()) : undefined
  }

  /** Writes the report if one was requested and is due. */
  async settle(): Promise<void> {
    if (this.dueAt !== undefined && this.dueAt <= this.#ports.clock.now()) await this.finish()
  }

  /** Writes the report if one was requested, due or not. */
  async finish(): Promise<void> {
    if (!this.#isWanted) return
    this.#isWanted = false
    this.#reportedAt = this.#ports.clock.now()
    await this.#report()
  }
}
