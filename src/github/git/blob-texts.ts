import * as z from 'zod'
import { blobId } from '../../store/object-ids.ts'
import { expectDone } from '../api/api-client.ts'
import { Recent } from '../api/recent.ts'
import type { RepositoryApi } from '../api/repository-api.ts'

const KEPT_CHARACTERS = 32 * 1024 * 1024
const BLOBS_A_QUERY = 50

const blobsAnswer = z.object({
  repository: z.record(z.string(), z.object({ text: z.string().nullable() }).nullable()),
})
const blobAnswer = z.object({ content: z.string() })

/** Reads blobs as text, many per request. Blobs never change, so each is fetched once. */
export class BlobTexts {
  readonly #api: RepositoryApi
  readonly #known = new Recent<string>(KEPT_CHARACTERS, (text) => text.length + 100)

  constructor(api: RepositoryApi) {
    this.#api = api
  }

  /** The texts of these blobs, by id. */
  async read(ids: readonly string[]): Promise<Map<string, string>> {
    const texts = new Map<string, string>()
    const unknown: string[] = []
    for (const id of new Set(ids)) {
      const text = this.#known.get(id)
      if (text === undefined) unknown.push(id)
      else texts.set(id, text)
    }
    for (let at = 0; at < unknown.length; at += BLOBS_A_QUERY) {
      for (const [id, text] of await this.#fetch(unknown.slice(at, at + BLOBS_A_QUERY))) texts.set(id, text)
    }
    return texts
  }

  /** Records a text that was written. */
  remember(text: string): void {
    this.#known.set(blobId(text), text)
  }

  async #fetch(ids: readonly string[]): Promise<Map<string, string>> {
    const name = 'read blobs'
    const fields = ids.map((id, index) => `b${index}: object(oid: "${id}") { ... on Blob { text } }`)
    const query = `query ($owner: String!, $repo: String!) {
      repository(owner: $owner, name: $repo) { ${fields.join('\n')} }
    }`
    const call = { name, query, variables: {}, answer: blobsAnswer, writes: false } as const
    const { repository } = expectDone(name, await this.#api.query({ ...call, priority: 'state' }))
    const texts = new Map<string, string>()
    for (const [index, id] of ids.entries()) {
      const text = repository[`b${index}`]?.text
      // A long text may be truncated, and one that is not UTF-8 is altered: the id reveals both.
      const whole = typeof text === 'string' && blobId(text) === id ? text : await this.#fetchWhole(id)
      texts.set(id, whole)
      this.#known.set(id, whole)
    }
    return texts
  }

  async #fetchWhole(id: string): Promise<string> {
    const { content } = await this.#api.get({
      route: 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}',
      parameters: { file_sha: id },
      answer: blobAnswer,
      priority: 'state',
    })
    return Buffer.from(content, 'base64').toString('utf8')
  }
}
