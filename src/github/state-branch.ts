import * as z from 'zod'
import { LoreleyError } from '../errors.ts'
import { STATE_REF } from '../store/layout.ts'
import { blobId, type TreeFile } from '../store/object-ids.ts'
import { expectDone } from './api-client.ts'
import { Recent } from './recent.ts'
import type { RepositoryApi } from './repository-api.ts'

/** Paths of a tree with what stands there. */
export type Listing = ReadonlyMap<string, TreeFile>

/** The state branch at one commit. */
export interface BranchView {
  /** Undefined when there is no such branch. */
  readonly head: string | undefined
  readonly tree: string | undefined
  /** What stands at the top and in `campaigns/`; a campaign's folder is one entry. */
  readonly listing: Listing
}

const KEPT_LISTINGS = 50
const KEPT_CHARACTERS = 32 * 1024 * 1024
const BLOBS_A_QUERY = 50

const ENTRIES = 'entries { name mode oid object { ... on Tree { entries { name mode oid } } } }'
const BRANCH_QUERY = `query ($owner: String!, $repo: String!, $ref: String!) {
  repository(owner: $owner, name: $repo) {
    ref(qualifiedName: $ref) { target { oid ... on Commit { tree { oid ${ENTRIES} } } } }
  }
}`
const FOLDER_QUERY = `query ($owner: String!, $repo: String!, $folder: GitObjectID!) {
  repository(owner: $owner, name: $repo) { object(oid: $folder) { ... on Tree { ${ENTRIES} } } }
}`

// GraphQL gives modes as numbers: 33188 is 100644.
const entry = z.object({ name: z.string(), mode: z.number(), oid: z.string() })
const entries = z.array(
  entry.extend({
    object: z
      .object({ entries: z.array(entry).optional() })
      .nullable()
      .optional(),
  }),
)
const branchAnswer = z.object({
  repository: z.object({
    ref: z
      .object({ target: z.object({ oid: z.string(), tree: z.object({ oid: z.string(), entries }) }) })
      .nullable(),
  }),
})
const folderAnswer = z.object({ repository: z.object({ object: z.object({ entries }).nullable() }) })
const blobsAnswer = z.object({
  repository: z.record(z.string(), z.object({ text: z.string().nullable() }).nullable()),
})
const blobAnswer = z.object({ content: z.string() })

/** Reads the state branch in few requests. Objects never change, so that what was seen once is not asked again. */
export class StateBranch {
  readonly #api: RepositoryApi
  readonly #listings = new Recent<Listing>(KEPT_LISTINGS)
  readonly #texts = new Recent<string>(KEPT_CHARACTERS, (text) => text.length)

  constructor(api: RepositoryApi) {
    this.#api = api
  }

  /** The branch as GitHub shows it now, which may be a little behind. */
  async readView(): Promise<BranchView> {
    const name = 'read the state branch'
    const variables = { ref: STATE_REF }
    const call = { name, query: BRANCH_QUERY, variables, answer: branchAnswer, writes: false } as const
    const { repository } = expectDone(name, await this.#api.query({ ...call, priority: 'state' }))
    if (repository.ref === null) return { head: undefined, tree: undefined, listing: new Map() }
    const { oid, tree } = repository.ref.target
    return { head: oid, tree: tree.oid, listing: listingOf(tree.entries) }
  }

  /** The documents of a campaign's folder. */
  async list(folder: string): Promise<Listing> {
    const known = this.#listings.get(folder)
    if (known !== undefined) return known
    const name = 'list a campaign'
    const variables = { folder }
    const call = { name, query: FOLDER_QUERY, variables, answer: folderAnswer, writes: false } as const
    const { repository } = expectDone(name, await this.#api.query({ ...call, priority: 'state' }))
    if (repository.object === null) throw missing(`the folder ${folder}`)
    const listing = listingOf(repository.object.entries)
    this.#listings.set(folder, listing)
    return listing
  }

  /** The documents at these paths, those that exist. */
  async read(folder: string, paths: readonly string[]): Promise<Map<string, string>> {
    const listing = await this.list(folder)
    const wanted = paths.flatMap((path) => {
      const file = listing.get(path)
      return file === undefined ? [] : [{ path, id: file.id }]
    })
    const texts = new Map<string, string>()
    const unknown = new Set<string>()
    for (const { id } of wanted) {
      const text = this.#texts.get(id)
      if (text === undefined) unknown.add(id)
      else texts.set(id, text)
    }
    const ids = [...unknown]
    for (let at = 0; at < ids.length; at += BLOBS_A_QUERY) {
      for (const [id, text] of await this.#fetch(ids.slice(at, at + BLOBS_A_QUERY))) texts.set(id, text)
    }
    return new Map(wanted.map(({ path, id }) => [path, texts.get(id) ?? '']))
  }

  /** Takes in what was written: it is what GitHub has now, whether or not it shows it yet. */
  remember(folder: string, listing: Listing, texts: Iterable<string>): void {
    this.#listings.set(folder, listing)
    for (const text of texts) this.#texts.set(blobId(text), text)
  }

  async #fetch(ids: readonly string[]): Promise<Map<string, string>> {
    const name = 'read documents'
    const fields = ids.map((id, index) => `d${index}: object(oid: "${id}") { ... on Blob { text } }`)
    const query = `query ($owner: String!, $repo: String!) {
      repository(owner: $owner, name: $repo) { ${fields.join('\n')} }
    }`
    const call = { name, query, variables: {}, answer: blobsAnswer, writes: false } as const
    const { repository } = expectDone(name, await this.#api.query({ ...call, priority: 'state' }))
    const texts = new Map<string, string>()
    for (const [index, id] of ids.entries()) {
      const text = repository[`d${index}`]?.text
      // A long text may come cut off: its id tells.
      const whole = typeof text === 'string' && blobId(text) === id ? text : await this.#fetchWhole(id)
      texts.set(id, whole)
      this.#texts.set(id, whole)
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

function listingOf(found: z.infer<typeof entries>): Listing {
  const fileOf = ({ mode, oid }: z.infer<typeof entry>): TreeFile => ({ mode: mode.toString(8), id: oid })
  return new Map(
    found.flatMap((each) => {
      const below = each.object?.entries
      return below === undefined
        ? [[each.name, fileOf(each)] as const]
        : below.map((child) => [`${each.name}/${child.name}`, fileOf(child)] as const)
    }),
  )
}

function missing(what: string): LoreleyError {
  return new LoreleyError(
    'github-unavailable',
    `GitHub does not show ${what} of the state branch yet.`,
    'It is tried again at the next event.',
  )
}
