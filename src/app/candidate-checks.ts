import { candidateId } from '../core/candidate-id.ts'
import { type CheckReport, findCheck, putCheck } from '../github/check-runs.ts'
import { type CandidateStory, renderCheck } from '../reports/check-run-text.ts'
import type { Snapshot } from '../store/state-store.ts'
import { BUTTONS } from './commands.ts'
import type { RepositoryTools } from './repository-tools.ts'
import { findStory } from './stories.ts'

// What a former process left undone is done in the first minutes of this one.
const TAKEOVER_MS = 120_000

/** Keeps one check run a measured candidate, on its commit. */
export class CandidateChecks {
  readonly #tools: RepositoryTools
  /** Check runs of this process, by candidate; those of an earlier one are looked up. */
  readonly #known = new Map<string, number>()
  readonly #startedAt: number

  constructor(tools: RepositoryTools) {
    this.#tools = tools
    this.#startedAt = tools.clock.now()
  }

  /** Writes a candidate's check run, or renews it after a new measurement. */
  async write(snapshot: Snapshot, ordinal: number, plan: string | undefined): Promise<void> {
    const story = await findStory(this.#tools.store, snapshot, ordinal)
    if (story?.entry.commit === undefined) return
    const report = reportOf(snapshot, { ...story, plan }, story.entry.commit)
    const id = report.externalId
    const known = this.#known.get(id) ?? (await this.#search(report, story.again.length > 0))
    this.#known.set(id, await putCheck(this.#tools.api, report, known))
  }

  // One may be there already when the candidate was measured again, or when we died after writing it.
  async #search(report: CheckReport, wasMeasuredAgain: boolean): Promise<number | undefined> {
    const isTakingOver = this.#tools.clock.now() - this.#startedAt < TAKEOVER_MS
    return isTakingOver || wasMeasuredAgain ? await findCheck(this.#tools.api, report) : undefined
  }
}

/** The check run about a candidate on a commit that has its files. */
export function reportOf({ state }: Snapshot, story: CandidateStory, sha: string): CheckReport {
  const id = candidateId(state.campaign.id, story.entry.ordinal)
  return {
    ...renderCheck(state, story),
    name: `loreley ${id}`,
    sha,
    externalId: id,
    buttons: BUTTONS,
  }
}
