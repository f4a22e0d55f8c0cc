import * as z from 'zod'
import { LoreleyError } from '../../errors.ts'
import type { Outcome } from '../api/api-client.ts'
import type { Priority } from '../api/pacer.ts'
import type { RepositoryApi } from '../api/repository-api.ts'

/** A comment that is written once and then edited in place. */
export interface StickyComment {
  /** The number of the issue or pull request. */
  readonly issue: number
  /** A hidden first line that identifies it, such as `<!-- loreley:status campaign=demo -->`. */
  readonly marker: string
  /** Without the marker. */
  readonly body: string
}

export interface CommentFacts {
  readonly id: number
  readonly nodeId: string
  readonly body: string
  readonly url: string
}

const BODY_CHARACTERS = 65_536
const PAGE = 100
const MOST_PAGES = 20

const comment = z.object({
  id: z.number(),
  node_id: z.string(),
  body: z.string().nullish(),
  html_url: z.string(),
  user: z.object({ login: z.string() }).nullish(),
})

/** Our comments. `author` is the App's login, so nobody else's comment passes for ours. */
export class Comments {
  readonly #api: RepositoryApi
  readonly #author: string

  constructor(api: RepositoryApi, author: string) {
    this.#api = api
    this.#author = author
  }

  /** Writes or edits a sticky comment; `known` saves the search. If there are several, the earliest counts. */
  async putSticky(sticky: StickyComment, known?: number): Promise<CommentFacts> {
    const body = cutBody(`${sticky.marker}\n${sticky.body}`)
    const edited = known === undefined ? undefined : await this.edit(known, body)
    if (edited?.status === 'done') return edited.value
    const found = await this.findSticky(sticky.issue, sticky.marker)
    if (found !== undefined) {
      if (found.body === body) return found
      const renewed = await this.edit(found.id, body)
      if (renewed.status === 'done') return renewed.value
    }
    const made = await this.#post(sticky.issue, body, 'report')
    if (made.status === 'done') return made.value
    // It may exist although the answer was lost.
    const after = made.status === 'unsure' ? await this.findSticky(sticky.issue, sticky.marker) : undefined
    return after ?? (await this.#api.get(postCall(sticky.issue, body, 'report')))
  }

  /** The current sticky comment with this marker: people may have ticked its boxes. */
  async findSticky(issue: number, marker: string): Promise<CommentFacts | undefined> {
    return await this.#find(issue, ({ body }) => body.startsWith(marker))
  }

  /** Removes a sticky comment of ours if there is an earlier one: two processes have written it. Returns the one left. */
  async mergeSticky(issue: number, marker: string, own: number): Promise<CommentFacts | undefined> {
    const first = await this.findSticky(issue, marker)
    if (first === undefined || first.id >= own) return first
    await this.#api.ask({
      route: 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}',
      parameters: { comment_id: own },
      answer: z.unknown(),
      priority: 'report',
      repeatable: true,
    })
    return first
  }

  /** Our earliest comment with a text in it, among those that changed since then. A deleted issue has none. */
  async findContaining(issue: number, text: string, since: string): Promise<CommentFacts | undefined> {
    try {
      return await this.#find(issue, ({ body }) => body.includes(text), { since })
    } catch (error) {
      if (error instanceof LoreleyError && error.code === 'github-refused') return undefined
      throw error
    }
  }

  /** Our earliest comment that matches. */
  async #find(
    issue: number,
    isWanted: (comment: CommentFacts) => boolean,
    filter: { readonly since?: string } = {},
  ): Promise<CommentFacts | undefined> {
    for (let page = 1; page <= MOST_PAGES; page++) {
      const found = await this.#api.get({
        route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
        parameters: { issue_number: issue, per_page: PAGE, page, ...filter },
        answer: z.array(comment),
        priority: 'report',
        polled: true,
      })
      const ours = found.filter(({ user }) => user?.login === this.#author).map(factsOf)
      const wanted = ours.find(isWanted)
      if (wanted !== undefined) return wanted
      if (found.length < PAGE) return undefined
    }
    return undefined
  }

  /** The current comment; undefined when it is gone. */
  async find(id: number, priority: Priority = 'report'): Promise<CommentFacts | undefined> {
    const outcome = await this.#api.ask({
      route: 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}',
      parameters: { comment_id: id },
      answer: comment.transform(factsOf),
      priority,
      polled: true,
    })
    return outcome.status === 'done' ? outcome.value : undefined
  }

  /** Replies to somebody. A double reply is worse than none, so it is never retried. */
  async answer(issue: number, body: string, priority: Priority = 'command'): Promise<Outcome<CommentFacts>> {
    return await this.#post(issue, cutBody(body), priority)
  }

  /** The same, unless we posted exactly that since then. */
  async answerOnce(issue: number, body: string, since: string): Promise<void> {
    const text = cutBody(body)
    const said = await this.#find(issue, (each) => each.body === text, { since })
    if (said === undefined) await this.answer(issue, text)
  }

  async edit(id: number, body: string): Promise<Outcome<CommentFacts>> {
    return await this.#api.ask({
      route: 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
      parameters: { comment_id: id, body: cutBody(body) },
      answer: comment.transform(factsOf),
      priority: 'report',
      repeatable: true,
    })
  }

  async #post(issue: number, body: string, priority: Priority): Promise<Outcome<CommentFacts>> {
    return await this.#api.ask(postCall(issue, body, priority))
  }
}

function postCall(issue: number, body: string, priority: Priority) {
  return {
    route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    parameters: { issue_number: issue, body },
    answer: comment.transform(factsOf),
    priority,
  }
}

function factsOf({ id, node_id, body, html_url }: z.infer<typeof comment>): CommentFacts {
  return { id, nodeId: node_id, body: body ?? '', url: html_url }
}

function cutBody(body: string): string {
  return body.length <= BODY_CHARACTERS ? body : `${body.slice(0, BODY_CHARACTERS - 3)}\n…`
}
