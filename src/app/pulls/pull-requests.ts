import * as z from 'zod'
import type { Pull } from '../../core/campaign/control.ts'
import type { CampaignEvent } from '../../core/campaign/events.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import type { Outcome } from '../../github/api/api-client.ts'
import { RefUpdates } from '../../github/git/ref-updates.ts'
import { editPull, findPull, openPull } from '../../github/pulls.ts'
import { type PullHistory, renderPull, renderPullComment } from '../../reports/candidate/pull-text.ts'
import { pullRef } from '../../store/layout.ts'
import type { Snapshot } from '../../store/state-store.ts'
import { findSummary } from '../campaign/candidate-summary.ts'
import type {
  ApiPort,
  ClockPort,
  CommentsPort,
  CommitsPort,
  DefaultBranchPort,
  PlansPort,
  StatePort,
  WebPort,
} from '../ports.ts'
import { renewCheck, reportOf } from './candidate-checks.ts'

export type PullPorts = ApiPort &
  CommitsPort &
  StatePort &
  ClockPort &
  DefaultBranchPort &
  CommentsPort &
  PlansPort &
  WebPort

const SKIP = '[skip ci]'
const PUSHED_TO = 'somebody has pushed to it: rename or delete it to have the candidate offered again'
const MADE = { status: 'done', value: undefined } as const

const commitAnswer = z
  .object({ message: z.string(), tree: z.object({ sha: z.string() }) })
  .transform(({ message, tree }) => ({ message, tree: tree.sha }))

/** Opens and closes pull requests, and releases CI on them when a person with write access asks. Never merges. */
export class PullRequests {
  readonly #ports: PullPorts
  readonly #refs: RefUpdates

  constructor(ports: PullPorts) {
    this.#ports = ports
    this.#refs = new RefUpdates(ports.api, 'report')
  }

  /** Opens a draft, or finds the one that was opened before. */
  async open(snapshot: Snapshot, pull: Pull): Promise<CampaignEvent> {
    const { ordinal } = pull.candidate
    const refused = (detail: string): CampaignEvent => ({ type: 'pull', ordinal, status: 'refused', detail })
    const summary = await this.#summaryOf(snapshot, pull)
    if (summary === undefined) return refused('it is not in the ledger')
    const ref = refOf(snapshot, pull)
    const branch = ref.slice('refs/heads/'.length)
    const { api, clock, defaultBranch } = this.#ports
    const there = await findPull(api, branch)
    if (there?.state !== 'open') {
      const head = await this.#makeBranch(snapshot, pull, summary.ciHeld)
      if (head.status !== 'done') return refused(`its branch was refused: ${head.message}`)
    }
    const text = renderPull(snapshot.state, pull, summary)
    const opened =
      there?.state === 'open'
        ? ({ status: 'done', value: there } as const)
        : await openPull(api, { ...text, branch, base: defaultBranch }, clock)
    if (opened.status !== 'done') return refused(`GitHub refused it: ${opened.message}`)
    await this.#show(snapshot, { ...pull, number: opened.value.number }, summary)
    return { type: 'pull', ordinal, status: 'open', number: opened.value.number }
  }

  async close(snapshot: Snapshot, pull: Pull): Promise<void> {
    if (pull.number === undefined) return
    await editPull(this.#ports.api, pull.number, { state: 'closed' })
    await this.removeBranch(snapshot, pull)
  }

  /**
   * Removes the branch of a closed pull request, because the candidate's commit is kept elsewhere. If people pushed to
   * the branch it stays: their commits are kept nowhere else.
   */
  async removeBranch(snapshot: Snapshot, pull: Pull): Promise<void> {
    const head = await this.#findHead(snapshot, pull)
    if (head?.tree !== pull.candidate.tree) return
    const ref = refOf(snapshot, pull)
    await this.#refs.together([{ ref, from: head.sha, to: undefined, forced: true }])
  }

  /** Replaces the head with the same tree without `[skip ci]`, if it is still ours. Otherwise returns the reason. */
  async releaseCi(snapshot: Snapshot, pull: Pull): Promise<string | undefined> {
    const head = await this.#findHead(snapshot, pull)
    if (head === undefined) return 'its branch is gone'
    const { tree, message } = head
    if (tree !== pull.candidate.tree) return 'somebody else has pushed to it: its head is no longer ours'
    if (!message.includes(SKIP)) return undefined
    const released = message.replaceAll(` ${SKIP}`, '')
    const parent = snapshot.state.campaign.root.commit
    const to = await this.#ports.candidates.commit({ tree, parent, message: released })
    const ref = refOf(snapshot, pull)
    // Move from the head that we read, so that a commit pushed meanwhile is not lost.
    const moved = await this.#refs.together([{ ref, from: head.sha, to, forced: true }])
    // A request that seemed to fail may have moved it.
    if (moved.status !== 'done' && (await this.#refs.find(ref)) !== to) return moved.message
    await this.refresh(snapshot, pull.candidate.ordinal)
    return undefined
  }

  /** Shows new measurements on an open pull request, and all of them on a new head. */
  async refresh(snapshot: Snapshot, ordinal: number): Promise<void> {
    const pull = snapshot.state.campaign.control.pulls.find(({ candidate }) => candidate.ordinal === ordinal)
    if (pull?.status !== 'open') return
    const summary = await this.#summaryOf(snapshot, pull)
    if (summary !== undefined) await this.#show(snapshot, pull, summary)
  }

  async #summaryOf(snapshot: Snapshot, { candidate }: Pull): Promise<PullHistory | undefined> {
    const summary = await findSummary(this.#ports.store, snapshot, candidate.ordinal)
    const { evaluation, pr } = snapshot.config
    return summary && { ...summary, command: evaluation.command, ciHeld: pr.ci === 'ask' }
  }

  // Shows the measurements in one comment, and as a check run while the head has the measured files.
  async #show(snapshot: Snapshot, pull: Pull, summary: PullHistory): Promise<void> {
    const { api, comments } = this.#ports
    if (pull.number === undefined) return
    const body = renderPullComment(snapshot.state, pull, summary)
    await comments.putSticky({ issue: pull.number, marker: '<!-- loreley:metrics -->', body })
    const head = await this.#findHead(snapshot, pull)
    if (head?.tree !== pull.candidate.tree) return
    const report = reportOf(this.#ports, snapshot.state, { ...summary, sha: head.sha })
    await renewCheck(api, report)
  }

  async #findHead(snapshot: Snapshot, pull: Pull) {
    const sha = await this.#refs.find(refOf(snapshot, pull))
    if (sha === undefined) return undefined
    const commit = await this.#ports.api.get({
      route: 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}',
      parameters: { commit_sha: sha },
      answer: commitAnswer,
      priority: 'report',
    })
    return { sha, ...commit }
  }

  // Never replace an existing branch: it has our files, perhaps with CI released, or people's commits.
  async #makeBranch(snapshot: Snapshot, pull: Pull, ciHeld: boolean): Promise<Outcome<unknown>> {
    const { tree } = pull.candidate
    const there = await this.#findHead(snapshot, pull)
    if (there?.tree === tree) return MADE
    if (there !== undefined) return { status: 'refused', http: 409, message: PUSHED_TO }
    const made = await this.#refs.create(refOf(snapshot, pull), await this.#commit(snapshot, pull, ciHeld))
    // A request that seemed to fail may have created it.
    return made.status !== 'done' && (await this.#findHead(snapshot, pull))?.tree === tree ? MADE : made
  }

  // A separate commit on the root: the candidate's parent may be another candidate, which does not belong in the
  // history.
  async #commit({ state }: Snapshot, { candidate }: Pull, ciHeld: boolean): Promise<string> {
    const { campaign } = state
    const id = candidateId(campaign.id, candidate.ordinal)
    const trailers = `Loreley-Campaign: ${campaign.id}\nLoreley-Candidate: ${id}`
    const message = `Loreley ${id}${ciHeld ? ` ${SKIP}` : ''}\n\n${trailers}\n`
    return await this.#ports.candidates.commit({
      tree: candidate.tree,
      parent: campaign.root.commit,
      message,
    })
  }
}

function refOf({ state }: Snapshot, { candidate }: Pull): string {
  return pullRef(state.campaign.id, candidate.ordinal)
}
