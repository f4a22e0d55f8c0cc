import { createRootGuard } from '../../github/git/root-guard.ts'
import type { Guard } from '../../guard/guard.ts'
import type { Snapshot } from '../../store/state-store.ts'
import type { RepositoryConfig } from '../config/repository-config.ts'
import type { ActorPort, CommitsPort, EvaluationsPort, LogPort } from '../ports.ts'
import { CandidateChecks, type CheckPorts } from '../pulls/candidate-checks.ts'
import type { PullRequests } from '../pulls/pull-requests.ts'
import { RunOutcomes } from '../runs/run-outcome.ts'
import { CampaignDriver, type DriverParts, type DriverPorts } from './campaign-driver.ts'
import { Dashboard, type DashboardPorts, type Ticked } from './dashboard.ts'

export type CampaignsPorts = DriverPorts &
  CheckPorts &
  DashboardPorts &
  LogPort &
  ActorPort &
  CommitsPort &
  EvaluationsPort

interface CampaignsParts {
  readonly pulls: PullRequests
  readonly config: RepositoryConfig
  /** Called with boxes that were found ticked in a campaign's dashboard. */
  onTicks(campaign: string, ticked: Ticked): Promise<void>
}

/** The campaigns of a repository, each with its driver. */
export class Campaigns {
  readonly #ports: CampaignsPorts
  readonly #parts: CampaignsParts
  readonly #drivers = new Map<string, CampaignDriver>()

  constructor(ports: CampaignsPorts, parts: CampaignsParts) {
    this.#ports = ports
    this.#parts = parts
  }

  /**
   * Every campaign on the state branch as it is now, because another process may have continued it. Our own push within
   * the last `maxAgeMs` replaces the read.
   */
  async all(maxAgeMs = 0): Promise<readonly CampaignDriver[]> {
    const folders = await this.#ports.store.folders(maxAgeMs)
    for (const id of this.#drivers.keys()) if (!folders.has(id)) this.#drivers.delete(id)
    const drivers: CampaignDriver[] = []
    for (const [id, folder] of folders) {
      try {
        const driver = await this.find(id)
        if (driver !== undefined && driver.snapshot.revision.folder !== folder) await driver.reload()
        if (driver !== undefined) drivers.push(driver)
      } catch (error) {
        // A campaign that cannot be read does not block the others.
        this.#ports.log('error', 'a campaign could not be read', { campaign: id, error })
      }
    }
    return drivers
  }

  /** The drivers that this process has opened. */
  get known(): readonly CampaignDriver[] {
    return [...this.#drivers.values()]
  }

  async find(id: string): Promise<CampaignDriver | undefined> {
    const known = this.#drivers.get(id)
    if (known !== undefined) return known
    const snapshot = await this.#ports.store.load(id)
    return snapshot && this.open(snapshot)
  }

  async ofIssue(issue: number): Promise<CampaignDriver | undefined> {
    const all = await this.all()
    return all.findLast(({ snapshot }) => snapshot.state.campaign.control.direction?.issue === issue)
  }

  open(snapshot: Snapshot): CampaignDriver {
    const { id } = snapshot.state.campaign
    const outcomes = new RunOutcomes(this.#ports, this.#guardOf())
    const driver = new CampaignDriver(this.#ports, { view: this.#view(), outcomes }, snapshot)
    this.#drivers.set(id, driver)
    return driver
  }

  // The root never changes, but each epoch may name other evaluator files. So the guard is made once per epoch.
  #guardOf(): (snapshot: Snapshot) => Promise<Guard> {
    let made: { readonly evaluator: string; readonly guard: Promise<Guard> } | undefined
    return ({ config, state }) => {
      const { api, trees } = this.#ports
      const { evaluator, root } = state.campaign
      if (made?.evaluator !== evaluator)
        made = { evaluator, guard: createRootGuard(api, trees, { config, tree: root.tree }) }
      return made.guard
    }
  }

  #view(): DriverParts['view'] {
    const { pulls, config, onTicks } = this.#parts
    const checks = new CandidateChecks(this.#ports, pulls)
    const dashboard = new Dashboard(this.#ports)
    return {
      writeChecks: (snapshot, ordinals, fresh) => checks.write(snapshot, ordinals, fresh),
      openPull: (snapshot, { pull }) => pulls.open(snapshot, pull),
      closePull: (snapshot, { pull }) => pulls.close(snapshot, pull),
      report: async (snapshot) => {
        const ticked = await dashboard.show(snapshot)
        if (ticked !== undefined) await onTicks(snapshot.state.campaign.id, ticked)
      },
      tellRefusal: (refusal) => config.tell([refusal]),
      touched: (markers) => dashboard.touched(markers),
      findMissed: (markers) => dashboard.findMissed(markers),
    }
  }
}
