import { LoreleyError } from '../errors.ts'
import { boxesFor, findTicked, renderDashboard } from '../reports/dashboard-page.ts'
import { campaignFolder } from '../store/layout.ts'
import type { Snapshot } from '../store/state-store.ts'
import type { RepositoryTools } from './repository-tools.ts'

/** Keeps the one comment that shows a campaign on its issue. */
export class Dashboard {
  readonly #tools: RepositoryTools
  readonly #notes: readonly string[]
  #comment: number | undefined
  #shown = ''
  /** Boxes that were obeyed and are still ticked in the comment. */
  readonly #heard = new Set<string>()

  constructor(tools: RepositoryTools, notes: readonly string[]) {
    this.#tools = tools
    this.#notes = notes
  }

  /**
   * Shows where the campaign stands. An edit takes ticks off, and an event may be lost: boxes that are found ticked
   * and were not heard of are given back instead, to be obeyed first. Only people who may write can edit our comment.
   */
  async show(snapshot: Snapshot): Promise<readonly string[]> {
    const { campaign } = snapshot.state
    const issue = campaign.control.direction?.issue
    if (issue === undefined) return []
    const body = renderDashboard(snapshot.state, this.#placeOf(snapshot))
    if (body === this.#shown) return []
    try {
      return await this.#put(issue, markerOf(campaign.id), body)
    } catch (error) {
      if (!(error instanceof LoreleyError) || error.code !== 'github-refused') throw error
      // The issue is gone or locked: the state branch shows the same.
      this.#tools.log('info', 'the dashboard cannot be shown', { campaign: campaign.id, issue })
      return []
    }
  }

  async #put(issue: number, marker: string, body: string): Promise<readonly string[]> {
    const ticks = (await this.#readTicks(issue, marker)).filter((tick) => !this.#heard.has(tick))
    if (ticks.length > 0) return ticks
    this.#comment = (await this.#tools.comments.putSticky({ issue, marker, body }, this.#comment)).id
    this.#shown = body
    this.#heard.clear()
    return []
  }

  /** Somebody else edited the comment: it is written again, whether or not there is news. */
  touched(markers: readonly string[]): void {
    this.#shown = ''
    for (const marker of markers) this.#heard.add(marker)
  }

  async #readTicks(issue: number, marker: string): Promise<readonly string[]> {
    const { comments } = this.#tools
    const known = this.#comment
    const now = known === undefined ? await comments.findSticky(issue, marker) : await comments.find(known)
    this.#comment = now?.id
    return findTicked(now?.body ?? '')
  }

  #placeOf({ state, revision }: Snapshot) {
    const { webUrl } = this.#tools
    return {
      // By commit: pictures are cached by their address.
      imageBase: `${webUrl}/blob/${revision.head}/${campaignFolder(state.campaign.id)}/`,
      imageSuffix: '?raw=true',
      boxes: boxesFor(state),
      notes: this.#notes,
      runUrl: (run: number) => `${webUrl}/actions/runs/${run}`,
      commitUrl: (commit: string) => `${webUrl}/commit/${commit}`,
    }
  }
}

/** The hidden line by which a campaign's dashboard is known. */
function markerOf(campaign: string): string {
  return `<!-- loreley:status campaign=${campaign} -->`
}

/** The campaign that a comment shows; undefined when it is no dashboard. */
export function findShown(body: string): string | undefined {
  return /^<!-- loreley:status campaign=([a-z0-9-]{1,40}) -->/.exec(body)?.[1]
}
