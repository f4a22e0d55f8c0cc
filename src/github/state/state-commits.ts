import * as z from 'zod'
import { LoreleyError } from '../../errors.ts'
import { STATE_REF } from '../../store/layout.ts'
import { treeId } from '../../store/object-ids.ts'
import type { RefChange } from '../../store/state-refs.ts'
import type { UnpublishedRef } from '../../store/state-store.ts'
import { expectDone, type Outcome } from '../api/api-client.ts'
import type { RepositoryApi } from '../api/repository-api.ts'
import { type RefUpdates, updatesOf } from '../git/ref-updates.ts'
import type { ArchiveRefs, CalledRefs } from './archive-refs.ts'
import type { BranchView, Listing, StateBranch } from './state-branch.ts'

/** One change of the state branch, with the refs that move with it. */
export interface StateEdit {
  readonly subject: string
  /** Texts by path; undefined for a removed document. */
  readonly files: ReadonlyMap<string, string | undefined>
  /** The branch after it. */
  readonly listing: Listing
  readonly refs: CalledRefs
}

interface Published {
  readonly status: 'published'
  readonly unpublished: readonly UnpublishedRef[]
}

type NotPublished =
  /** Somebody else moved the state branch. */
  { readonly status: 'moved' } | { readonly status: 'refused'; readonly message: string }

export type PushOutcome =
  | (Published & { readonly view: BranchView & { readonly head: string } })
  | NotPublished

interface StateCommitsParts {
  readonly api: RepositoryApi
  readonly branch: StateBranch
  readonly refs: RefUpdates
  readonly archiveRefs: ArchiveRefs
}

// GitHub documents no limit for one commit, but aborts after ten seconds.
const APPENDED_BYTES = 512 * 1024

const KEEPS = 'keeps: updateRefs(input: $keeps) { clientMutationId }'
const APPEND = 'state: createCommitOnBranch(input: $commit) { commit { oid tree { oid } } }'

const written = z.object({ sha: z.string() })
type Written = z.infer<typeof written>
const appended = z.object({
  state: z.object({ commit: z.object({ oid: z.string(), tree: z.object({ oid: z.string() }) }) }),
})

/** Writes state commits by compare-and-swap, in one request where possible. */
export class StateCommits {
  readonly #api: RepositoryApi
  readonly #branch: StateBranch
  readonly #refs: RefUpdates
  readonly #archiveRefs: ArchiveRefs

  constructor({ api, branch, refs, archiveRefs }: StateCommitsParts) {
    this.#api = api
    this.#branch = branch
    this.#refs = refs
    this.#archiveRefs = archiveRefs
  }

  async push(view: BranchView, edit: StateEdit): Promise<PushOutcome> {
    const isSmall = bytesOf(edit.files) <= APPENDED_BYTES
    const outcome = view.head !== undefined && isSmall ? await this.#append(view.head, edit) : undefined
    // An orphan branch cannot be appended to, and a refusal may concern only the other refs.
    return outcome === undefined || outcome.status === 'refused' ? await this.#build(view, edit) : outcome
  }

  /**
   * Keep refs and the commit in one request, in this order: the state must not mention a commit that may be gone. Elites
   * follow in another request, because they are not ours to move if somebody else was faster.
   */
  async #append(from: string, edit: StateEdit): Promise<PushOutcome> {
    const { keeps } = edit.refs
    const outcome = await this.#api.query({
      name: 'append to the state',
      query:
        keeps.length === 0
          ? `mutation ($commit: CreateCommitOnBranchInput!) { ${APPEND} }`
          : `mutation ($keeps: UpdateRefsInput!, $commit: CreateCommitOnBranchInput!) { ${KEEPS} ${APPEND} }`,
      variables: {
        ...(keeps.length > 0 && { keeps: updatesOf(this.#api.repository, keeps.map(forced)) }),
        commit: this.#commitOf(from, edit),
      },
      answer: appended,
      writes: true,
      priority: 'state',
    })
    if (outcome.status === 'done') {
      const { oid, tree } = outcome.value.state.commit
      return await this.#follow({ head: oid, tree: assertTree(tree.oid, edit), listing: edit.listing }, edit)
    }
    // Each part may or may not have been done, whatever the answer says: read the branch.
    const now = await this.#branch.readView()
    if (now.head === undefined || now.head === from) return { status: 'refused', message: outcome.message }
    if (now.tree !== treeId(edit.listing)) return { status: 'moved' }
    return await this.#follow({ ...now, head: now.head }, edit, await this.#archiveRefs.publishEach(keeps))
  }

  async #follow(
    view: BranchView & { readonly head: string },
    { refs }: StateEdit,
    unpublished: readonly UnpublishedRef[] = [],
  ): Promise<PushOutcome> {
    const elites = await this.#publishElites(refs.elites)
    return { status: 'published', view, unpublished: [...refs.unpublished, ...unpublished, ...elites] }
  }

  #commitOf(from: string, { subject, files }: StateEdit) {
    const { owner, repo } = this.#api.repository
    const additions: { path: string; contents: string }[] = []
    const deletions: { path: string }[] = []
    for (const [path, text] of files) {
      if (text === undefined) deletions.push({ path })
      else additions.push({ path, contents: Buffer.from(text).toString('base64') })
    }
    return {
      branch: {
        repositoryNameWithOwner: `${owner}/${repo}`,
        branchName: STATE_REF.replace('refs/heads/', ''),
      },
      message: { headline: subject },
      expectedHeadOid: from,
      fileChanges: { additions, deletions },
    }
  }

  /** Three requests: a tree, a commit, and one update of the state and all its refs. */
  async #build(view: BranchView, edit: StateEdit): Promise<PushOutcome> {
    const made = await this.#writeTree(view.tree, edit.files)
    // Push rulesets apply to trees too.
    if (made.status === 'refused' && made.http === 422) return { status: 'refused', message: made.message }
    const tree = assertTree(expectDone('a tree of the state', made).sha, edit)
    const parents = view.head === undefined ? [] : [view.head]
    const parameters = { message: edit.subject, tree, parents }
    const commit = await this.#write('POST /repos/{owner}/{repo}/git/commits', parameters)
    const head = expectDone('a commit of the state', commit).sha
    const outcome = await this.#publish(view.head, head, edit.refs)
    return outcome.status === 'published'
      ? { ...outcome, view: { head, tree, listing: edit.listing } }
      : outcome
  }

  async #writeTree(base: string | undefined, files: StateEdit['files']): Promise<Outcome<Written>> {
    const tree = [...files].map(([path, text]) => ({
      path,
      mode: '100644',
      type: 'blob',
      ...(text === undefined ? { sha: null } : { content: text }),
    }))
    const parameters = base === undefined ? { tree } : { tree, base_tree: base }
    return await this.#write('POST /repos/{owner}/{repo}/git/trees', parameters)
  }

  async #write(route: string, parameters: Readonly<Record<string, unknown>>): Promise<Outcome<Written>> {
    return await this.#api.ask({ route, parameters, answer: written, priority: 'state', repeatable: true })
  }

  /** Publishes elites after their state; a refused one blocks no other. */
  async #publishElites(elites: readonly RefChange[]): Promise<readonly UnpublishedRef[]> {
    if (elites.length === 0) return []
    const outcome = await this.#refs.together(elites.map(forced))
    if (outcome.status !== 'done') return await this.#archiveRefs.publishEach(elites)
    this.#archiveRefs.notePublished(elites)
    return []
  }

  /** Moves the state to an existing commit, with all its refs. */
  async #publish(from: string | undefined, to: string, refs: CalledRefs): Promise<Published | NotPublished> {
    const state = { ref: STATE_REF, from: from ?? 'absent', to }
    const others = [...refs.keeps, ...refs.elites].map(forced)
    const outcome = await this.#refs.together([state, ...others])
    if (outcome.status === 'done') {
      this.#archiveRefs.notePublished(refs.elites)
      return { status: 'published', unpublished: refs.unpublished }
    }
    // GitHub does not reliably say which ref failed, or whether everything was done: read the branch.
    const now = await this.#refs.find(STATE_REF)
    if (now !== to && now !== from) return { status: 'moved' }
    return await this.#publishApart(from, to, refs)
  }

  // A refused elite never blocks the state. Keep refs come first: the state must not mention a commit that may be gone.
  async #publishApart(
    from: string | undefined,
    to: string,
    refs: CalledRefs,
  ): Promise<Published | NotPublished> {
    const keeps = await this.#archiveRefs.publishEach(refs.keeps)
    const moved = await this.#moveState(from, to)
    if (moved.status !== 'done') {
      const now = await this.#refs.find(STATE_REF)
      return now === from ? { status: 'refused', message: moved.message } : { status: 'moved' }
    }
    const elites = await this.#archiveRefs.publishEach(refs.elites)
    return { status: 'published', unpublished: [...refs.unpublished, ...keeps, ...elites] }
  }

  async #moveState(from: string | undefined, to: string): Promise<Outcome<unknown>> {
    if (from !== undefined) return await this.#refs.move(STATE_REF, to, false)
    const created = await this.#refs.create(STATE_REF, to)
    // The request that seemed to fail created it after all.
    if (created.status === 'refused' && (await this.#refs.find(STATE_REF)) === to)
      return { status: 'done', value: undefined }
    return created
  }
}

function forced<T extends object>(change: T): T & { readonly forced: true } {
  return { ...change, forced: true }
}

function bytesOf(files: StateEdit['files']): number {
  return [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)
}

/** Our own hash gives the folder's id, which GitHub's answer lacks, and proves that every byte arrived. */
function assertTree(tree: string, { listing }: StateEdit): string {
  if (tree === treeId(listing)) return tree
  throw new LoreleyError(
    'internal',
    `GitHub created the state tree ${tree}, which is not the requested one.`,
    'Please report this with the state branch.',
  )
}
