import { LoreleyError } from '../errors.ts'
import { boxesFor, renderDashboard } from '../reports/dashboard-page.ts'
import { campaignFolder } from '../store/layout.ts'
import type { Snapshot } from '../store/state-store.ts'
import type { RepositoryTools } from './repository-tools.ts'

/** Keeps the one comment that shows a campaign on its issue. */
export class Dashboard {
  readonly #tools: RepositoryTools
  readonly #notes: readonly string[]
  #comment: number | undefined
  #shown = ''

  constructor(tools: RepositoryTools, notes: readonly string[]) {
    this.#tools = tools
    this.#notes = notes
  }

  /** Shows where the campaign stands. Ticks are taken in by their own events, which say who ticked. */
  async show(snapshot: Snapshot): Promise<void> {
    const { campaign } = snapshot.state
    const issue = campaign.control.direction?.issue
    if (issue === undefined) return
    const body = renderDashboard(snapshot.state, this.#placeOf(snapshot))
    if (body === this.#shown) return
    const sticky = { issue, marker: markerOf(campaign.id), body }
    try {
      this.#comment = (await this.#tools.comments.putSticky(sticky, this.#comment)).id
      this.#shown = body
    } catch (error) {
      if (!(error instanceof LoreleyError) || error.code !== 'github-refused') throw error
      // The issue is gone or locked: the state branch shows the same.
      this.#tools.log('info', 'the dashboard cannot be shown', { campaign: campaign.id, issue })
    }
  }

  /** Somebody else edited the comment: it is written again, whether or not there is news. */
  touched(): void {
    this.#shown = ''
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
