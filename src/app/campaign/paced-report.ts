import type { ClockPort, LaterPort, SettingsPort } from '../ports.ts'

type ReportPorts = ClockPort & SettingsPort & LaterPort

/** Has something reported, at most so often: what is asked for meanwhile is one report. */
export class PacedReport {
  readonly #ports: ReportPorts
  readonly #report: () => Promise<void>
  #isDue = false
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(ports: ReportPorts, report: () => Promise<void>) {
    this.#ports = ports
    this.#report = report
  }

  request(): void {
    if (this.#isDue) return
    this.#isDue = true
    const { clock, settings, later } = this.#ports
    later(Math.max(0, this.#reportedAt + settings.reportMs - clock.now()), async () => {
      this.#isDue = false
      this.#reportedAt = clock.now()
      await this.#report()
    })
  }
}
