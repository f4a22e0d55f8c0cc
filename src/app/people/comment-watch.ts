import * as z from 'zod'
import { listRenames } from '../../github/issues/issue-history.ts'
import { findIssue } from '../../github/issues/issues.ts'
import { findTicked } from '../../reports/campaign/checkboxes.ts'
import type { Campaigns } from '../campaign/campaigns.ts'
import { findShown } from '../campaign/dashboard.ts'
import type { ActorPort, ApiPort, ClockPort, LogPort, PermissionsPort } from '../ports.ts'
import type { SeenIssue } from '../reconcile/evidence.ts'
import type { AgreedWords } from './agreed-words.ts'
import type { CheckboxCommands } from './checkbox-commands.ts'
import { findCommand } from './command-syntax.ts'
import { type CommentCommands, findProgress, type SaidCommand } from './comment-commands.ts'
import { mayWrite } from './sender.ts'

type CommentWatchPorts = ApiPort & ClockPort & ActorPort & LogPort & PermissionsPort

const DAY_MS = 24 * 3_600_000
/** How long a process may take to answer a command that it has acknowledged. */
const IN_HAND_MS = 10 * 60_000
const PAGE = 100
const MOST_PAGES = 10

const EDITED =
  '😕 Not started: somebody without write access edited this issue after `/loreley start`. Read it again, then repeat the command.'

const comment = z.object({
  id: z.number(),
  node_id: z.string(),
  body: z.string().nullish(),
  issue_url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  user: z.object({ login: z.string(), type: z.string() }).nullish(),
  reactions: z.object({ eyes: z.number(), rocket: z.number(), confused: z.number() }).optional(),
})
type Comment = z.infer<typeof comment>

interface CommentParts {
  readonly comments: Pick<CommentCommands, 'hasHeard' | 'obey'>
  readonly boxes: Pick<CheckboxCommands, 'obeyFound'>
  readonly campaigns: Pick<Campaigns, 'ofIssue'>
  readonly words: AgreedWords
}

/** Finds unanswered commands and ticked boxes in the comments of a repository. */
export class CommentWatch {
  readonly #ports: CommentWatchPorts
  readonly #parts: CommentParts
  /** All comments up to this time were read and obeyed. */
  #readTo = Number.NEGATIVE_INFINITY

  constructor(ports: CommentWatchPorts, parts: CommentParts) {
    this.#ports = ports
    this.#parts = parts
  }

  /** Obeys new comments and ticks. If one fails, it is found again for a day. */
  async reconcile(): Promise<void> {
    const { found, to } = await this.#observe()
    let isWell = true
    for (const each of found) isWell = (await this.#tryObey(each)) && isWell
    if (isWell) this.#readTo = to
  }

  /** Comments written or edited since the last successful reconcile, oldest change first. */
  async #observe(): Promise<{ readonly found: readonly Comment[]; readonly to: number }> {
    const { api, clock } = this.#ports
    const nowMs = clock.now()
    const sinceMs = Math.max(this.#readTo, nowMs - DAY_MS) - IN_HAND_MS
    const since = `${new Date(sinceMs).toISOString().slice(0, 19)}Z`
    const found: Comment[] = []
    for (let page = 1; page <= MOST_PAGES; page++) {
      const next = await api.get({
        route: 'GET /repos/{owner}/{repo}/issues/comments',
        parameters: { since, sort: 'updated', direction: 'asc', per_page: PAGE, page },
        answer: z.array(comment),
        priority: 'state',
      })
      found.push(...next)
      if (next.length < PAGE) return { found, to: nowMs }
    }
    // The next reconcile continues where this one ends.
    return { found, to: Date.parse(found.at(-1)?.updated_at ?? '') + IN_HAND_MS }
  }

  async #tryObey(each: Comment): Promise<boolean> {
    try {
      await this.#obey(each)
      return true
    } catch (error) {
      this.#ports.log('error', 'a comment could not be obeyed', { comment: each.id, error })
      return false
    }
  }

  async #obey(each: Comment): Promise<void> {
    const { comments, boxes } = this.#parts
    if (each.user?.login !== this.#ports.actor) {
      const said = await this.#findSaid(each)
      if (said !== undefined) await comments.obey(said)
      return
    }
    const campaign = findShown(each.body ?? '')
    const markers = findTicked(each.body ?? '')
    if (campaign !== undefined) await boxes.obeyFound(campaign, { nodeId: each.node_id, markers })
  }

  // An edited comment is not a command: only its first version counts.
  async #findSaid(each: Comment): Promise<SaidCommand | undefined> {
    const { id, body, issue_url, user, created_at: at } = each
    if (at !== each.updated_at || findCommand(body ?? '') === undefined) return undefined
    if (!user || this.#parts.comments.hasHeard(id)) return undefined
    const sender = { login: user.login, isBot: user.type === 'Bot' }
    // Strangers get a reply at most when their webhook arrives, because we keep no lasting record of whom we told.
    if (!(await mayWrite(this.#ports, sender)) || (await this.#isTaken(each))) return undefined
    const issue = await findIssue(this.#ports.api, Number(issue_url.split('/').at(-1)))
    if (issue === undefined || !(await this.#isAsSaid(issue, each))) return undefined
    return { issue, comment: id, body: body ?? '', at, sender }
  }

  // A new campaign takes the issue's text. A running one has its own copy.
  async #isAsSaid({ number, isPull }: SeenIssue, { body, created_at: at }: Comment): Promise<boolean> {
    const reading = findCommand(body ?? '')
    const isStart = reading?.status === 'command' && reading.command.name === 'start'
    if (!isStart || isPull || (await this.#parts.campaigns.ofIssue(number)) !== undefined) return true
    const renames = await listRenames(this.#ports.api, number)
    const later = renames.filter((each) => Date.parse(each.at) >= Date.parse(at))
    const renamers = later.map(({ actor }) => actor)
    return await this.#parts.words.isUnchanged(number, { at, renamers, complaint: EDITED })
  }

  async #isTaken({ id, created_at, reactions }: Comment): Promise<boolean> {
    if (reactions !== undefined && reactions.eyes + reactions.rocket + reactions.confused === 0) return false
    const progress = await findProgress(this.#ports, id)
    const isRecent = this.#ports.clock.now() - Date.parse(created_at) < IN_HAND_MS
    return progress === 'answered' || (isRecent && progress === 'seen')
  }
}
