import { LoreleyError } from '../../errors.ts'
import type { CommentFacts } from '../../github/issues/comments.ts'
import { boxesFor, findTicked } from '../../reports/campaign/checkboxes.ts'
import { renderDashboard } from '../../reports/campaign/dashboard-page.ts'
import { campaignFolder } from '../../store/layout.ts'
import type { Snapshot } from '../../store/state-store.ts'
import type { CommentsPort, ElitesPort, LogPort, WebPort } from '../ports.ts'

export type DashboardPorts = CommentsPort & LogPort & WebPort & ElitesPort

/** Boxes found ticked in a comment or pull request of ours, without an event that names who did it. */
export interface Ticked {
  readonly nodeId: string
  readonly markers: readonly string[]
}

/** Writes the one comment that shows a campaign on its issue. */
export class Dashboard {
  readonly #ports: DashboardPorts
  #comment: number | undefined
  /** The comment is ours, and another process may have written one at the same time. */
  #isNew = false
  #shown = ''
  /** Boxes that were obeyed and are still ticked in the comment. */
  readonly #heard = new Set<string>()

  constructor(ports: DashboardPorts) {
    this.#ports = ports
  }

  /**
   * Writes the campaign's status. Because an edit would clear ticks whose events were lost, it returns boxes that are
   * ticked and not yet obeyed instead of writing.
   */
  async show(snapshot: Snapshot): Promise<Ticked | undefined> {
    const { campaign } = snapshot.state
    const issue = campaign.control.direction?.issue
    if (issue === undefined) return undefined
    if (textOf(this.#render(snapshot)) === this.#shown) return undefined
    try {
      return await this.#put(issue, snapshot)
    } catch (error) {
      if (!(error instanceof LoreleyError) || error.code !== 'github-refused') throw error
      // The issue is gone or locked. The state branch still shows the status.
      this.#ports.log('info', 'the dashboard cannot be shown', { campaign: campaign.id, issue })
      return undefined
    }
  }

  #render(snapshot: Snapshot): string {
    return renderDashboard(snapshot.state, this.#linksOf(snapshot))
  }

  async #put(issue: number, snapshot: Snapshot): Promise<Ticked | undefined> {
    const { id, root } = snapshot.state.campaign
    const marker = markerOf(id)
    const now = await this.#read(issue, marker)
    const markers = this.findMissed(findTicked(now?.body ?? ''))
    if (now !== undefined && markers.length > 0) return { nodeId: now.nodeId, markers }
    const isShown = (): boolean => textOf(now?.body ?? '') === textOf(`${marker}\n${this.#render(snapshot)}`)
    // After a restart the comment is usually up to date, which we can see without the note about elites.
    if (!isShown()) await this.#ports.eliteNamespaces.look({ campaign: id, root })
    const body = this.#render(snapshot)
    if (!isShown()) {
      this.#isNew = this.#comment === undefined
      this.#comment = (await this.#ports.comments.putSticky({ issue, marker, body }, this.#comment)).id
    }
    this.#shown = textOf(body)
    this.#heard.clear()
    return undefined
  }

  /** Somebody else edited the comment, so write it again even without news. */
  touched(markers: readonly string[]): void {
    this.#shown = ''
    for (const marker of markers) this.#heard.add(marker)
  }

  /** Returns the boxes that were not obeyed yet. */
  findMissed(markers: readonly string[]): readonly string[] {
    return markers.filter((marker) => !this.#heard.has(marker))
  }

  async #read(issue: number, marker: string): Promise<CommentFacts | undefined> {
    const now = await this.#find(issue, marker)
    this.#comment = now?.id
    return now
  }

  async #find(issue: number, marker: string): Promise<CommentFacts | undefined> {
    const { comments } = this.#ports
    if (this.#comment === undefined) return await comments.findSticky(issue, marker)
    return this.#isNew
      ? await comments.mergeSticky(issue, marker, this.#comment)
      : await comments.find(this.#comment)
  }

  #linksOf({ state, config, revision }: Snapshot) {
    const { webUrl, eliteNamespaces } = this.#ports
    return {
      // The commit is part of the address because pictures are cached by address.
      imageBase: `${webUrl}/blob/${revision.head}/${campaignFolder(state.campaign.id)}/`,
      imageSuffix: '?raw=true',
      boxes: boxesFor(state),
      eliteNote: eliteNamespaces.noteOf(state.campaign.id, config),
      runUrl: (run: number) => `${webUrl}/actions/runs/${run}`,
      commitUrl: (commit: string) => `${webUrl}/commit/${commit}`,
    }
  }
}

// Every campaign moves the branch, which changes the address of unchanged pictures.
function textOf(body: string): string {
  return body.replaceAll(/(?<=\/blob\/)[0-9a-f]{40}(?=\/)/g, '')
}

/** The hidden line that marks a campaign's dashboard. */
function markerOf(campaign: string): string {
  return `<!-- loreley:status campaign=${campaign} -->`
}

/** The campaign that a comment shows; undefined if it is no dashboard. */
export function findShown(body: string): string | undefined {
  return /^<!-- loreley:status campaign=([a-z0-9-]{1,40}) -->/.exec(body)?.[1]
}
