import type { Direction } from '../../core/campaign/control.ts'
import { listRenames } from '../../github/issues/issue-history.ts'
import { cutWords, findIssue } from '../../github/issues/issues.ts'
import { findLastEdit } from '../../github/issues/last-edits.ts'
import type { ApiPort, CommentsPort, PermissionsPort } from '../ports.ts'
import type { Evidence } from '../reconcile/evidence.ts'
import { mayWrite, senderOf } from './sender.ts'

type WordPorts = ApiPort & CommentsPort & PermissionsPort

type Words = Pick<Direction, 'title' | 'body'>

/** When somebody agreed with an issue's text, and who changed it since. */
export interface Agreement {
  readonly at: string
  /** Who has changed the issue's title since. */
  readonly renamers: readonly string[]
  /** The reply if somebody without write access has changed the text since. */
  readonly complaint: string
}

/** Decides which text of an issue counts: only what people with write access wrote. */
export class AgreedWords {
  readonly #ports: WordPorts
  /** By issue: text that does not count. It may stay for long, so we ask about its author only once. */
  readonly #strange = new Map<number, string>()

  constructor(ports: WordPorts) {
    this.#ports = ports
  }

  /**
   * Whether an issue's text is still the one that somebody agreed with. A webhook brings that text. Without one we read
   * the current text, which a stranger may have written since.
   */
  async isUnchanged(issue: number, { at, renamers, complaint }: Agreement): Promise<boolean> {
    const edit = await findLastEdit(this.#ports.api, issue)
    const isLater = edit !== undefined && Date.parse(edit.at) >= Date.parse(at)
    const editors = [...[...new Set(renamers)].map(senderOf), ...(isLater ? [edit] : [])]
    for (const editor of editors) {
      if (await mayWrite(this.#ports, editor)) continue
      // Reply once, not at every reconcile.
      await this.#ports.comments.answerOnce(issue, complaint, at)
      return false
    }
    return true
  }

  /** The text that counts now; undefined if it equals the direction. */
  async findNew(
    direction: Direction,
    edits: readonly Evidence<'issue-edited'>[],
  ): Promise<Words | undefined> {
    const words = edits.length > 0 ? await this.#takeEdits(direction, edits) : await this.#read(direction)
    return words.title === direction.title && words.body === direction.body ? undefined : words
  }

  // A webhook names the editor. Only the parts that this editor changed may count.
  async #takeEdits(direction: Words, edits: readonly Evidence<'issue-edited'>[]): Promise<Words> {
    let { title, body } = direction
    for (const { event, sender } of edits) {
      if (!(await mayWrite(this.#ports, sender))) continue
      if (event.changed.title) title = event.issue.title
      if (event.changed.body) body = event.issue.body
    }
    return { title, body }
  }

  async #read(direction: Direction): Promise<Words> {
    const { issue, title, body } = direction
    const now = await findIssue(this.#ports.api, issue)
    if (now === undefined || (now.title === title && now.body === body)) return direction
    const shown = `${now.title}\n${now.body}`
    if (this.#strange.get(issue) === shown) return direction
    const words = {
      title: (now.title === title ? undefined : await this.#findTitle(issue)) ?? title,
      body: (now.body === body ? undefined : await this.#findBody(issue)) ?? body,
    }
    if (words.title === title && words.body === body) this.#strange.set(issue, shown)
    return words
  }

  // Read text and author in one answer, here and below. Otherwise a stranger's text could be attributed to a later
  // editor.
  async #findTitle(issue: number): Promise<string | undefined> {
    const last = (await listRenames(this.#ports.api, issue)).at(-1)
    const counts = last !== undefined && (await mayWrite(this.#ports, senderOf(last.actor)))
    return counts ? cutWords(last.title, '').title : undefined
  }

  async #findBody(issue: number): Promise<string | undefined> {
    const last = await findLastEdit(this.#ports.api, issue)
    const counts = last !== undefined && (await mayWrite(this.#ports, last))
    return counts ? cutWords('', last.body).body : undefined
  }
}
