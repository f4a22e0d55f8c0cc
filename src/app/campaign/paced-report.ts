import type { RepositoryTools } from '../repository-tools.ts'

type PaceTools = Pick<RepositoryTools, 'clock' | 'settings' | 'later'>

/** Has something reported, at most so often: what is asked for meanwhile is one report. */
export class PacedReport {
  readonly #tools: PaceTools
  readonly #report: () => Promise<void>
  #isDue = false
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(tools: PaceTools, report: () => Promise<void>) {
    this.#tools = tools
    this.#report = report
  }

  request(): void {
    if (this.#isDue) return
    this.#isDue = true
    const { clock, settings, later } = this.#tools
    later(Math.max(0, this.#reportedAt + settings.reportMs - clock.now()), async () => {
      this.#isDue = false
      this.#reportedAt = clock.now()
      await this.#report()
    })
  }
}
