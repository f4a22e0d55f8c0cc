import { adviseElitePlace } from '../github/elite-place.ts'
import { createRootGuard } from '../github/root-guard.ts'
import type { Guard } from '../guard/guard.ts'
import type { Snapshot } from '../store/state-store.ts'
import { type CampaignDesk, CampaignDriver } from './campaign-driver.ts'
import { CandidateChecks } from './candidate-checks.ts'
import { Dashboard } from './dashboard.ts'
import type { PullDesk } from './pull-desk.ts'
import type { RepositoryTools } from './repository-tools.ts'
import { RunOutcomes } from './run-outcome.ts'

/** Hears of boxes that were found ticked in a campaign's dashboard. */
type OnTicks = (campaign: string, markers: readonly string[]) => Promise<void>

/** The campaigns of a repository, each with its driver. */
export class Campaigns {
  readonly #tools: RepositoryTools
  readonly #pulls: PullDesk
  readonly #onTicks: OnTicks
  readonly #drivers = new Map<string, CampaignDriver>()

  constructor(tools: RepositoryTools, pulls: PullDesk, onTicks: OnTicks) {
    this.#tools = tools
    this.#pulls = pulls
    this.#onTicks = onTicks
  }

  /** Every campaign on the state branch, as it is there now: another process may have carried it on. */
  async all(): Promise<readonly CampaignDriver[]> {
    const folders = await this.#tools.store.folders()
    for (const id of this.#drivers.keys()) if (!folders.has(id)) this.#drivers.delete(id)
    const drivers: CampaignDriver[] = []
    for (const [id, folder] of folders) {
      try {
        const driver = await this.find(id)
        if (driver !== undefined && driver.snapshot.revision.folder !== folder) await driver.reload()
        if (driver !== undefined) drivers.push(driver)
      } catch (error) {
        // One that cannot be read keeps no other waiting.
        this.#tools.log('error', 'a campaign could not be read', { campaign: id, error })
      }
    }
    return drivers
  }

  async find(id: string): Promise<CampaignDriver | undefined> {
    const known = this.#drivers.get(id)
    if (known !== undefined) return known
    const snapshot = await this.#tools.store.load(id)
    return snapshot && (await this.open(snapshot))
  }

  async ofIssue(issue: number): Promise<CampaignDriver | undefined> {
    const all = await this.all()
    return all.findLast(({ snapshot }) => snapshot.state.campaign.control.direction?.issue === issue)
  }

  async open(snapshot: Snapshot): Promise<CampaignDriver> {
    const { id, root } = snapshot.state.campaign
    const advice = await adviseElitePlace(this.#tools.api, this.#tools.trees, {
      campaign: id,
      tree: root.tree,
    })
    this.#tools.elitePlaces.set(snapshot.config.name, advice.place)
    const outcomes = new RunOutcomes(this.#tools, this.#guardOf())
    const driver = new CampaignDriver(this.#tools, this.#deskOf(advice.reasons), outcomes, snapshot)
    this.#drivers.set(id, driver)
    return driver
  }

  // The root never changes: its guard is made once an epoch, which may name other files as the evaluator's.
  #guardOf(): (snapshot: Snapshot) => Promise<Guard> {
    let made: { readonly evaluator: string; readonly guard: Promise<Guard> } | undefined
    return ({ config, state }) => {
      const { api, trees } = this.#tools
      const { evaluator, root } = state.campaign
      if (made?.evaluator !== evaluator)
        made = { evaluator, guard: createRootGuard(api, trees, { config, tree: root.tree }) }
      return made.guard
    }
  }

  #deskOf(notes: readonly string[]): CampaignDesk {
    const checks = new CandidateChecks(this.#tools)
    const dashboard = new Dashboard(this.#tools, notes)
    const pulls = this.#pulls
    return {
      writeCheck: async (snapshot, ordinal, { plan }) => {
        await checks.write(snapshot, ordinal, plan)
        await pulls.refresh(snapshot, ordinal)
      },
      openPull: (snapshot, { pull }) => pulls.open(snapshot, pull),
      closePull: (snapshot, { pull }) => pulls.close(snapshot, pull),
      report: async (snapshot) => {
        const ticks = await dashboard.show(snapshot)
        if (ticks.length > 0) await this.#onTicks(snapshot.state.campaign.id, ticks)
      },
      touched: (markers) => dashboard.touched(markers),
    }
  }
}
