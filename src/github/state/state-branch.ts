import * as z from 'zod'
import { LoreleyError } from '../../errors.ts'
import { STATE_REF } from '../../store/layout.ts'
import type { TreeFile } from '../../store/object-ids.ts'
import { expectDone } from '../api/api-client.ts'
import { Recent } from '../api/recent.ts'
import type { RepositoryApi } from '../api/repository-api.ts'
import { BlobTexts } from '../git/blob-texts.ts'

/** The entries of a tree by path. */
export type Listing = ReadonlyMap<string, TreeFile>

/** The state branch at one commit. */
export interface BranchView {
  /** Undefined when there is no such branch. */
  readonly head: string | undefined
  readonly tree: string | undefined
  /** The entries at the top and in `campaigns/`; a campaign's folder is one entry. */
  readonly listing: Listing
}

const KEPT_LISTINGS = 50

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

/** Reads the state branch in few requests. Objects never change, so each is fetched once. */
export class StateBranch {
  readonly #api: RepositoryApi
  readonly #listings = new Recent<Listing>(KEPT_LISTINGS)
  readonly #texts: BlobTexts

  constructor(api: RepositoryApi) {
    this.#api = api
    this.#texts = new BlobTexts(api)
  }

  /** The branch as GitHub shows it now, which may lag behind. */
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
    const texts = await this.#texts.read(wanted.map(({ id }) => id))
    return new Map(wanted.map(({ path, id }) => [path, texts.get(id) ?? '']))
  }

  /** Records what was written: GitHub has it, even if it does not show it yet. */
  remember(folder: string, listing: Listing, texts: Iterable<string>): void {
    this.#listings.set(folder, listing)
    for (const text of texts) this.#texts.remember(text)
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
    'It is tried again at the next reconcile.',
  )
}
