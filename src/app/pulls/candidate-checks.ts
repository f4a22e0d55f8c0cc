import type { CampaignState } from '../../core/campaign/campaign.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import type { RepositoryApi } from '../../github/api/repository-api.ts'
import { type CheckRequest, putChecks } from '../../github/checks/check-batches.ts'
import { type CheckReport, findCheck, type KnownCheck, putCheck } from '../../github/checks/check-runs.ts'
import type { CandidateHistory } from '../../reports/candidate/candidate-text.ts'
import { keepPlan, renderCheck } from '../../reports/candidate/check-run-text.ts'
import type { Snapshot } from '../../store/state-store.ts'
import { findSummary } from '../campaign/candidate-summary.ts'
import { BUTTONS } from '../people/command-syntax.ts'
import type { ApiPort, LogPort, PlansPort, StatePort, WebPort } from '../ports.ts'

export type CheckPorts = ApiPort & LogPort & PlansPort & StatePort & WebPort

interface CandidateCheck extends CheckRequest {
  readonly ordinal: number
}

/** Shows later measurements on a candidate's pull request, if there is one. */
interface PullRefresher {
  refresh(snapshot: Snapshot, ordinal: number): Promise<void>
}

/** Keeps one check run per measured candidate, on its commit and on its pull request, if there is one. */
export class CandidateChecks {
  readonly #ports: CheckPorts
  /** Node ids of the check runs that this process wrote, by candidate. Others are looked up. */
  readonly #known = new Map<string, string>()
  readonly #pulls: PullRefresher

  constructor(ports: CheckPorts, pulls: PullRefresher) {
    this.#ports = ports
    this.#pulls = pulls
  }

  /**
   * Writes check runs, or updates them after a new measurement. Returns the candidates that are done. A check run of a
   * candidate outside `fresh` may already exist, because a process may have died or given up after writing it.
   */
  async write(
    snapshot: Snapshot,
    ordinals: readonly number[],
    fresh: ReadonlySet<number>,
  ): Promise<readonly number[]> {
    const done: number[] = []
    const requests: CandidateCheck[] = []
    for (const ordinal of ordinals)
      await this.#try(ordinal, async () => {
        const request = await this.#findRequest(snapshot, ordinal, fresh.has(ordinal))
        if (request === undefined) done.push(ordinal)
        else requests.push(request)
      })
    const written = await putChecks(this.#ports.api, requests)
    for (const [index, request] of requests.entries())
      await this.#try(request.ordinal, async () => {
        await this.#finish(request, written[index])
        await this.#pulls.refresh(snapshot, request.ordinal)
        done.push(request.ordinal)
      })
    return done
  }

  // A refused check run does not block the others.
  async #try(ordinal: number, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#ports.log('warn', 'a check run could not be written', { ordinal, error })
    }
  }

  // A candidate without a commit has no check run.
  async #findRequest(
    snapshot: Snapshot,
    ordinal: number,
    isFresh: boolean,
  ): Promise<CandidateCheck | undefined> {
    const summary = await findSummary(this.#ports.store, snapshot, ordinal)
    if (summary?.entry.commit === undefined) return undefined
    const report = reportOf(this.#ports, snapshot.state, { ...summary, sha: summary.entry.commit })
    const known = this.#known.get(report.externalId)
    if (known !== undefined || isFresh) return { ordinal, report, known }
    const found = await findCheck(this.#ports.api, report)
    return { ordinal, report: withPlan(report, found), known: found?.nodeId }
  }

  // A check run that failed, or may have failed, is looked up and written alone.
  async #finish({ report }: CandidateCheck, written: string | undefined): Promise<void> {
    if (written !== undefined) {
      this.#known.set(report.externalId, written)
      return
    }
    this.#known.delete(report.externalId)
    await renewCheck(this.#ports.api, report)
  }
}

/** Updates the existing check run, or creates one. */
export async function renewCheck(api: RepositoryApi, report: CheckReport): Promise<number> {
  const found = await findCheck(api, report)
  return await putCheck(api, withPlan(report, found), found?.id)
}

// Only this process's plans are in memory, so keep the plan that an older check run shows.
function withPlan(report: CheckReport, found: KnownCheck | undefined): CheckReport {
  return { ...report, text: keepPlan(report.text ?? '', found?.text ?? '') }
}

/** A candidate's check run, on a commit with its files. */
export function reportOf(
  { webUrl, plans }: WebPort & PlansPort,
  state: CampaignState,
  { sha, ...summary }: CandidateHistory & { readonly sha: string },
): CheckReport {
  const { ordinal, run } = summary.entry
  const id = candidateId(state.campaign.id, ordinal)
  const runUrl = run === undefined ? undefined : `${webUrl}/actions/runs/${run}`
  return {
    ...renderCheck(state, { ...summary, runUrl, plan: plans.get(id) }),
    name: `loreley ${id}`,
    sha,
    externalId: id,
    ...(runUrl !== undefined && { detailsUrl: runUrl }),
    buttons: BUTTONS,
  }
}
