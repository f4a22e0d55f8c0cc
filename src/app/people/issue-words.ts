import type { Direction } from '../../core/campaign/control.ts'
import { listRenames } from '../../github/issue-history.ts'
import { cutWords, findIssue } from '../../github/issues/issues.ts'
import { findLastEdit } from '../../github/issues/last-edits.ts'
import type { ApiPort, PermissionsPort } from '../ports.ts'
import { mayWrite, senderOf } from './sender.ts'

type WordPorts = ApiPort & PermissionsPort

type Words = Pick<Direction, 'title' | 'body'>

/** Finds what writers have made of an issue's words while nobody listened. */
export class IssueWords {
  readonly #ports: WordPorts
  /** By issue: words of which nothing counts. They may stand there for long, and are asked about once. */
  readonly #strange = new Map<number, string>()

  constructor(ports: WordPorts) {
    this.#ports = ports
  }

  /** The words that count now; undefined when they are those of the direction. */
  async findNew({ issue, title, body }: Direction): Promise<Words | undefined> {
    const now = await findIssue(this.#ports.api, issue)
    if (now === undefined || (now.title === title && now.body === body)) return undefined
    const shown = `${now.title}\n${now.body}`
    if (this.#strange.get(issue) === shown) return undefined
    const words = {
      title: (now.title === title ? undefined : await this.#findTitle(issue)) ?? title,
      body: (now.body === body ? undefined : await this.#findBody(issue)) ?? body,
    }
    if (words.title !== title || words.body !== body) return words
    this.#strange.set(issue, shown)
    return undefined
  }

  // Words and writer in one answer, here and below: else a stranger's could be taken for those of whoever came after.
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
