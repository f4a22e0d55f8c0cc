import type { Direction } from '../core/campaign/control.ts'
import { cutWords, findIssue } from '../github/issues.ts'
import { findLastEdit } from '../github/last-edits.ts'
import { senderOf } from './envelope.ts'
import { listRenames } from './issue-history.ts'
import { mayWrite, type RepositoryTools } from './repository-tools.ts'

type Words = Pick<Direction, 'title' | 'body'>

/** Finds what writers have made of an issue's words while nobody listened. */
export class IssueWords {
  readonly #tools: Pick<RepositoryTools, 'api' | 'permissions'>
  /** By issue: words of which nothing counts. They may stand there for long, and are asked about once. */
  readonly #strange = new Map<number, string>()

  constructor(tools: Pick<RepositoryTools, 'api' | 'permissions'>) {
    this.#tools = tools
  }

  /** The words that count now; undefined when they are those of the direction. */
  async findNew({ issue, title, body }: Direction): Promise<Words | undefined> {
    const now = await findIssue(this.#tools.api, issue)
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
    const last = (await listRenames(this.#tools.api, issue)).at(-1)
    const counts = last !== undefined && (await mayWrite(this.#tools, senderOf(last.actor)))
    return counts ? cutWords(last.title, '').title : undefined
  }

  async #findBody(issue: number): Promise<string | undefined> {
    const last = await findLastEdit(this.#tools.api, issue)
    const counts = last !== undefined && (await mayWrite(this.#tools, last))
    return counts ? cutWords('', last.body).body : undefined
  }
}
