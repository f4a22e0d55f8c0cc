import * as z from 'zod'
import type { ConfigFile } from '../../config/campaign-config.ts'
import { findLabelling, type Labelling, listRenames } from '../../github/issue-history.ts'
import { findIssue, listReactions } from '../../github/issues/issues.ts'
import { findLastEdit } from '../../github/issues/last-edits.ts'
import { findTicked } from '../../reports/campaign/checkboxes.ts'
import type { Campaigns } from '../campaign/campaigns.ts'
import { findShown } from '../campaign/dashboard.ts'
import type { ActorPort, ApiPort, ClockPort, CommentsPort, LogPort, PermissionsPort } from '../ports.ts'
import type { EventOf, IssueFacts } from '../reconcile/evidence.ts'
import { findCommand } from './command-syntax.ts'
import type { Commands } from './commands.ts'
import { mayWrite, type Sender, senderOf } from './sender.ts'

type MissedPorts = ApiPort & ClockPort & ActorPort & LogPort & PermissionsPort & CommentsPort

const DAY_MS = 24 * 3_600_000
/** Whoever has shown that a command was seen may still be at it. */
const IN_HAND_MS = 10 * 60_000
const PAGE = 100
const MOST_PAGES = 10

const EDITED = '😕 Nothing has begun: somebody who may not write has edited this issue after'
const EDITED_LABEL = `${EDITED} the label was set. Read it again, take the label off and put it on again.`
const EDITED_START = `${EDITED} \`/loreley start\` was said. Read it again, and say it again.`

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

const labelled = z.array(z.object({ number: z.number(), pull_request: z.unknown().optional() }))

/** Those who obey what was missed. */
type MissedCommands = Pick<Commands, 'hasHeard' | 'commented' | 'foundTicked'>

/** Words of an issue that somebody agreed with. */
interface Agreed extends Pick<Labelling, 'at' | 'renamers'> {
  /** What to say when somebody else has changed them since. */
  readonly complaint: string
}

/** Looks for what people asked for while nobody listened: commands without an answer, ticks, labels without a campaign. */
export class MissedEvents {
  readonly #ports: MissedPorts
  readonly #commands: MissedCommands
  readonly #campaigns: Pick<Campaigns, 'ofIssue'>
  /** Up to when all comments were read and obeyed. */
  #readTo = Number.NEGATIVE_INFINITY

  constructor(ports: MissedPorts, commands: MissedCommands, campaigns: Pick<Campaigns, 'ofIssue'>) {
    this.#ports = ports
    this.#commands = commands
    this.#campaigns = campaigns
  }

  /** Obeys commands and ticks that no webhook told of. What could not be obeyed is found again, for a day. */
  async comments(): Promise<void> {
    const { found, to } = await this.#read()
    let isWell = true
    for (const each of found) isWell = (await this.#obey(each)) && isWell
    if (isWell) this.#readTo = to
  }

  /** Comments that were written or edited since the last look that went well, oldest change first. */
  async #read(): Promise<{ readonly found: readonly Comment[]; readonly to: number }> {
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
    // The next look goes on where this one ends.
    return { found, to: Date.parse(found.at(-1)?.updated_at ?? '') + IN_HAND_MS }
  }

  async #obey(each: Comment): Promise<boolean> {
    try {
      const isOurs = each.user?.login === this.#ports.actor
      const shown = isOurs ? findShown(each.body ?? '') : undefined
      const markers = findTicked(each.body ?? '')
      if (shown !== undefined) await this.#commands.foundTicked(shown, { nodeId: each.node_id, markers })
      const missed = isOurs ? undefined : await this.#findCommand(each)
      if (missed !== undefined) await this.#commands.commented(missed.event, missed.sender)
      return true
    } catch (error) {
      this.#ports.log('error', 'a missed comment could not be obeyed', { comment: each.id, error })
      return false
    }
  }

  // An edited comment is no command: only what it said first counts.
  async #findCommand(
    each: Comment,
  ): Promise<{ readonly event: EventOf<'commented'>; readonly sender: Sender } | undefined> {
    const { id, body, issue_url, user, created_at: at } = each
    if (at !== each.updated_at || findCommand(body ?? '') === undefined) return undefined
    if (!user || this.#commands.hasHeard(id)) return undefined
    const sender = { login: user.login, isBot: user.type === 'Bot' }
    // Others are told at most when their webhook comes: nothing shows for long who was.
    if (!(await mayWrite(this.#ports, sender)) || (await this.#isTaken(each))) return undefined
    const issue = await findIssue(this.#ports.api, Number(issue_url.split('/').at(-1)))
    if (issue === undefined || !(await this.#isAsSaid(issue, each))) return undefined
    const event = { type: 'commented', issue, comment: id, body: body ?? '', at } as const
    return { event, sender }
  }

  // What begins takes the issue's words; what goes on has its own.
  async #isAsSaid({ number, isPull }: IssueFacts, { body, created_at: at }: Comment): Promise<boolean> {
    const reading = findCommand(body ?? '')
    const isStart = reading?.status === 'command' && reading.command.name === 'start'
    if (!isStart || isPull || (await this.#campaigns.ofIssue(number)) !== undefined) return true
    const renames = await listRenames(this.#ports.api, number)
    const later = renames.filter((each) => Date.parse(each.at) >= Date.parse(at))
    const renamers = later.map(({ actor }) => actor)
    return await this.#isAsAgreed(number, { at, renamers, complaint: EDITED_START })
  }

  // Anybody may leave signs on a comment: only ours tell.
  async #isTaken({ id, created_at, reactions }: Comment): Promise<boolean> {
    if (reactions !== undefined && reactions.eyes + reactions.rocket + reactions.confused === 0) return false
    const { api, actor, clock } = this.#ports
    const signs = await listReactions(api, id, actor)
    const isRecent = clock.now() - Date.parse(created_at) < IN_HAND_MS
    return signs.has('rocket') || signs.has('confused') || (isRecent && signs.has('eyes'))
  }

  /** Labels on open issues that have no campaign; the one who set it is asked about, as with the webhook. */
  async labels(config: ConfigFile, begun: ReadonlySet<number>): Promise<readonly EventOf<'labelled'>[]> {
    const missed: EventOf<'labelled'>[] = []
    for (const label of new Set([...config.campaigns.values()].map((campaign) => campaign.label))) {
      const found = await this.#ports.api.get({
        route: 'GET /repos/{owner}/{repo}/issues',
        parameters: { labels: label, state: 'open', per_page: PAGE },
        answer: labelled,
        priority: 'state',
        polled: true,
      })
      const missedOnes = found.filter(
        ({ number, pull_request }) => pull_request === undefined && !begun.has(number),
      )
      for (const { number } of missedOnes) missed.push(...(await this.#labelOf(number, label)))
    }
    return missed
  }

  async #labelOf(number: number, label: string): Promise<EventOf<'labelled'>[]> {
    const { api } = this.#ports
    const labelling = await findLabelling(api, number, label)
    if (labelling === undefined || !(await mayWrite(this.#ports, senderOf(labelling.actor)))) return []
    // Read before it is asked who edited it: what somebody writes meanwhile is not taken.
    const issue = await findIssue(api, number)
    if (!(await this.#isAsAgreed(number, { ...labelling, complaint: EDITED_LABEL }))) return []
    return issue === undefined ? [] : [{ type: 'labelled', issue, label, at: labelling.at }]
  }

  // A webhook brings the words that the label was set on, or the command said under. We find what stands there now,
  // which a stranger may have written since: that is no direction.
  async #isAsAgreed(number: number, { at, renamers, complaint }: Agreed): Promise<boolean> {
    const edit = await findLastEdit(this.#ports.api, number)
    const isLater = edit !== undefined && Date.parse(edit.at) >= Date.parse(at)
    const editors = [...[...new Set(renamers)].map(senderOf), ...(isLater ? [edit] : [])]
    for (const editor of editors) {
      if (await mayWrite(this.#ports, editor)) continue
      // Once, and not at every look.
      await this.#ports.comments.answerOnce(number, complaint, at)
      return false
    }
    return true
  }
}
