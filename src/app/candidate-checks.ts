import type { CampaignState } from '../core/campaign/campaign.ts'
import { candidateId } from '../core/candidate/candidate-id.ts'
import { type CheckOrder, putChecks } from '../github/check-batches.ts'
import { type CheckReport, findCheck, type KnownCheck, putCheck } from '../github/check-runs.ts'
import type { RepositoryApi } from '../github/repository-api.ts'
import { type CandidateStory, keepPlan, renderCheck } from '../reports/check-run-text.ts'
import type { Snapshot } from '../store/state-store.ts'
import { BUTTONS } from './commands.ts'
import type { PullDesk } from './pull-desk.ts'
import type { RepositoryTools } from './repository-tools.ts'
import { findStory } from './stories.ts'

type Tools = Pick<RepositoryTools, 'api' | 'log' | 'plans' | 'store' | 'webUrl'>

interface Order extends CheckOrder {
  readonly ordinal: number
}

/** Keeps one check run a measured candidate, on its commit; and on its pull request, if there is one. */
export class CandidateChecks {
  readonly #tools: Tools
  /** Node ids of this process's check runs, by candidate; those of an earlier one are looked up. */
  readonly #known = new Map<string, string>()
  readonly #pulls: Pick<PullDesk, 'refresh'>

  constructor(tools: Tools, pulls: Pick<PullDesk, 'refresh'>) {
    this.#tools = tools
    this.#pulls = pulls
  }

  /**
   * Writes candidates' check runs, or renews them after a new measurement. Tells which are done. Whatever this very
   * step did not bring may be there already: we or another process may have died, or given up, after writing it.
   */
  async write(
    snapshot: Snapshot,
    ordinals: readonly number[],
    fresh: ReadonlySet<number>,
  ): Promise<readonly number[]> {
    const done: number[] = []
    const orders: Order[] = []
    for (const ordinal of ordinals)
      await this.#try(ordinal, async () => {
        const order = await this.#findOrder(snapshot, ordinal, fresh.has(ordinal))
        if (order === undefined) done.push(ordinal)
        else orders.push(order)
      })
    const written = await putChecks(this.#tools.api, orders)
    for (const [index, order] of orders.entries())
      await this.#try(order.ordinal, async () => {
        await this.#finish(order, written[index])
        await this.#pulls.refresh(snapshot, order.ordinal)
        done.push(order.ordinal)
      })
    return done
  }

  // One that GitHub refuses holds up no other.
  async #try(ordinal: number, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#tools.log('warn', 'a check run could not be written', { ordinal, error })
    }
  }

  // Nothing of a candidate without a commit.
  async #findOrder(snapshot: Snapshot, ordinal: number, isFresh: boolean): Promise<Order | undefined> {
    const story = await findStory(this.#tools.store, snapshot, ordinal)
    if (story?.entry.commit === undefined) return undefined
    const report = reportOf(this.#tools, snapshot.state, { ...story, sha: story.entry.commit })
    const known = this.#known.get(report.externalId)
    if (known !== undefined || isFresh) return { ordinal, report, known }
    const found = await findCheck(this.#tools.api, report)
    return { ordinal, report: withPlan(report, found), known: found?.nodeId }
  }

  // What was not written with the others, or perhaps was, is looked for and written alone.
  async #finish({ report }: Order, written: string | undefined): Promise<void> {
    if (written !== undefined) {
      this.#known.set(report.externalId, written)
      return
    }
    this.#known.delete(report.externalId)
    await renewCheck(this.#tools.api, report)
  }
}

/** Writes a check run over the one that is there, or a new one. */
export async function renewCheck(api: RepositoryApi, report: CheckReport): Promise<number> {
  const found = await findCheck(api, report)
  return await putCheck(api, withPlan(report, found), found?.id)
}

// Only this process's plans are in memory: an older one stays.
function withPlan(report: CheckReport, found: KnownCheck | undefined): CheckReport {
  return { ...report, text: keepPlan(report.text ?? '', found?.text ?? '') }
}

/** The check run about a candidate on a commit that has its files. */
export function reportOf(
  { webUrl, plans }: Pick<RepositoryTools, 'webUrl' | 'plans'>,
  state: CampaignState,
  { sha, ...story }: CandidateStory & { readonly sha: string },
): CheckReport {
  const { ordinal, run } = story.entry
  const id = candidateId(state.campaign.id, ordinal)
  const runUrl = run === undefined ? undefined : `${webUrl}/actions/runs/${run}`
  return {
    ...renderCheck(state, { ...story, runUrl, plan: plans.get(id) }),
    name: `loreley ${id}`,
    sha,
    externalId: id,
    ...(runUrl !== undefined && { detailsUrl: runUrl }),
    buttons: BUTTONS,
  }
}
