import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerEntry } from '../core/campaign/ledger.ts'
import { LoreleyError } from '../errors.ts'
import { isAncestor } from '../git/history.ts'
import { type Identity, readCommit, writeCommit } from '../git/objects/commits.ts'
import { MissingObjectError } from '../git/objects/object-store.ts'
import {
  assertPathsStored,
  editTree,
  fileEdit,
  findInTree,
  readTree,
  type TreeEdit,
} from '../git/objects/trees.ts'
import { findRef } from '../git/repository.ts'
import { renderCampaignList } from './campaign-list.ts'
import { decodeCampaign } from './decode.ts'
import {
  type DocumentEdits,
  type DocumentReader,
  documentsToLoad,
  findEdits,
  readShards,
  readTreeIndex,
  snapshotOf,
} from './documents.ts'
import { encodeCampaign } from './encode.ts'
import { campaignFolder, STATE_REF } from './layout.ts'
import { type LocalGit, LocalRefs } from './local-refs.ts'
import type { Change, CommitOutcome, Revision, Snapshot, StateStore } from './state-store.ts'

/** The author of local state and candidate commits. Fixed, so that the same search gives the same commits. */
export const LOCAL_IDENTITY: Identity = { name: 'Loreley', email: 'loreley@localhost' }

const TRIES = 100

/** A state commit that no ref points to yet. */
interface WrittenHead {
  readonly head: string
  /** The campaign's folder. */
  readonly folder: string | undefined
  readonly tree: string
  /** The paths that were written. */
  readonly paths: readonly string[]
}

/** The state branch of a repository on this machine. It never touches the work tree, index or HEAD. */
export class LocalStore implements StateStore {
  readonly #git: LocalGit
  readonly #refs: LocalRefs

  constructor(git: LocalGit) {
    this.#git = git
    this.#refs = new LocalRefs(git)
  }

  async list(): Promise<readonly string[]> {
    const head = await this.#findHead()
    return head === undefined ? [] : await this.#namesIn(await this.#treeOf(head), 'campaigns')
  }

  async load(campaign: string): Promise<Snapshot | undefined> {
    const head = await this.#findHead()
    return head === undefined ? undefined : await this.loadAt(head, campaign)
  }

  /** Loads a campaign from a given commit instead of the branch head. */
  async loadAt(head: string, campaign: string): Promise<Snapshot | undefined> {
    const folder = await this.#folderAt(head, campaign)
    if (folder === undefined) return undefined
    const { paths, shard } = documentsToLoad(
      await this.#namesIn(folder, 'jobs'),
      await this.#namesIn(folder, 'ledger'),
    )
    const documents = await this.#readDocuments(folder, paths)
    const stored = decodeCampaign(campaignFolder(campaign), documents, shard)
    return { ...stored, revision: { head, folder, documents } }
  }

  async withTrees(snapshot: Snapshot, trees: readonly string[]): Promise<Snapshot> {
    return await readTreeIndex(snapshot, trees, this.#readDocuments)
  }

  async commit(base: Revision | undefined, change: Change): Promise<CommitOutcome> {
    const { campaign } = change.state
    const documents = new Map([...encodeCampaign(change), ...change.pages])
    const edits = findEdits(base, documents)
    const blobs = await this.#writeBlobs(edits)
    const refs = await this.#refs.callFor(base, change, documents)
    let head = base?.head ?? (await this.#findHead())
    for (let tried = 0; tried < TRIES; tried++) {
      // A commit of another campaign on the same branch is not a conflict: we compare and swap the folder.
      const folder = head === undefined ? undefined : await this.#folderAt(head, campaign.id)
      if (folder !== base?.folder) {
        await this.#assertCarriedOn(base, head, campaign.id)
        return { status: 'conflict' }
      }
      const under = head
      const written = await this.#writeHead(under, change, blobs)
      const update = { ref: STATE_REF, to: written.head, from: head ?? 'absent' }
      const outcome = await this.#refs.publish(campaign.id, update, refs)
      if (outcome.status === 'applied') {
        await this.#assertWhole(written, async () => {
          await this.#writeBlobs(edits)
          await this.#writeHead(under, change, blobs)
        })
        const snapshot = snapshotOf(change, { head: written.head, folder: written.folder, documents })
        return { status: 'committed', snapshot, unpublished: outcome.unpublished }
      }
      const now = await this.#findHead()
      // Refused without having moved: another writer holds git's lock, or the ref cannot be written at all.
      if (now === head && tried >= 20) throw stuck('state-refused', outcome.detail)
      head = now
      await sleep(randomInt(1, 5 + 2 * tried))
    }
    return { status: 'conflict' }
  }

  // Somebody who commits on top of our state is a rival to retry against. Whoever drops our commits wants something else,
  // and our events make no sense on an older state.
  async #assertCarriedOn(
    base: Revision | undefined,
    head: string | undefined,
    campaign: string,
  ): Promise<void> {
    if (base?.head === undefined || base.folder === undefined) return
    // If git does not know our commit any more, nothing builds on it.
    const isKnown =
      head !== undefined && (await isAncestor(this.#git.repository, base.head, head).catch(() => false))
    if (isKnown && (await this.#folderAt(head, campaign)) !== undefined) return
    const what =
      head === undefined ? 'was deleted' : isKnown ? `lost the campaign ${campaign}` : 'was moved back'
    throw new LoreleyError(
      'state-conflict',
      `The branch loreley/state ${what} while the campaign ${campaign} ran.`,
      `Restore it with \`git branch -f loreley/state ${base.head}\`, or run the command again to continue from what is there.`,
    )
  }

  // Until the ref moves, nothing holds the objects of a new commit, and `git gc --prune=now` may have removed some. From
  // then on they are safe, so writing them once more completes the commit.
  async #assertWhole(written: WrittenHead, rewrite: () => Promise<unknown>): Promise<void> {
    const { objects } = this.#git
    const check = async (): Promise<void> => {
      await objects.assertStored('commit', written.head)
      await assertPathsStored(objects, written.tree, written.paths)
    }
    try {
      await check()
    } catch (error) {
      if (!(error instanceof MissingObjectError)) throw error
      await rewrite()
      await check()
    }
  }

  /** Removes a campaign from the state branch. Its history stays in the branch's log. */
  async remove(campaign: string, at: Date): Promise<void> {
    const { objects, refs } = this.#git
    for (let tried = 0; tried < TRIES; tried++) {
      const head = await this.#findHead()
      const tree = head === undefined ? undefined : await this.#treeOf(head)
      if (head === undefined || tree === undefined) return
      const left = (await this.#namesIn(tree, 'campaigns')).filter((name) => name !== campaign)
      const list = await objects.write('blob', renderCampaignList(left))
      const next = await editTree(
        objects,
        tree,
        new Map<string, TreeEdit>([
          [campaignFolder(campaign), undefined],
          ['README.md', fileEdit(list)],
        ]),
      )
      const draft = {
        tree: next ?? '',
        parents: [head],
        message: `${campaign}: removed [skip ci]`,
        identity: LOCAL_IDENTITY,
        seconds: secondsOf(at),
      }
      const written = await writeCommit(objects, draft)
      if ((await refs.apply([{ ref: STATE_REF, to: written, from: head }])).status === 'applied') return
      await sleep(randomInt(1, 5 + 2 * tried))
    }
    throw stuck('state-conflict', 'others keep changing it')
  }

  // The open git process answers in a fraction of the time. It cannot tell a branch that lost its commit from no branch.
  async #findHead(): Promise<string | undefined> {
    const { objects, repository } = this.#git
    return (await objects.findByRef(STATE_REF)) ?? (await findRef(repository, STATE_REF))
  }

  readLedger(snapshot: Snapshot, what?: 'with-embeddings'): AsyncIterable<LedgerEntry> {
    return readShards(snapshot, this.#readDocuments, what !== undefined)
  }

  async #writeBlobs(edits: DocumentEdits): Promise<Map<string, string | undefined>> {
    const written = await Promise.all(
      [...edits].map(async ([path, text]) => {
        return [path, text === undefined ? undefined : await this.#git.objects.write('blob', text)] as const
      }),
    )
    return new Map(written)
  }

  async #writeHead(
    head: string | undefined,
    change: Change,
    blobs: ReadonlyMap<string, string | undefined>,
  ): Promise<WrittenHead> {
    const { objects } = this.#git
    const { id } = change.state.campaign
    const tree = head === undefined ? undefined : await this.#treeOf(head)
    const edits = new Map(
      [...blobs].map(([path, blob]) => [
        `${campaignFolder(id)}/${path}`,
        blob === undefined ? undefined : fileEdit(blob),
      ]),
    )
    const campaigns = tree === undefined ? [] : await this.#namesIn(tree, 'campaigns')
    if (!campaigns.includes(id)) {
      const list = renderCampaignList([...campaigns, id].sort())
      edits.set('README.md', fileEdit(await objects.write('blob', list)))
    }
    const next = (await editTree(objects, tree, edits)) ?? ''
    const draft = {
      tree: next,
      parents: head === undefined ? [] : [head],
      message: `${change.subject} [skip ci]`,
      identity: LOCAL_IDENTITY,
      seconds: secondsOf(change.at),
    }
    const folder = await findInTree(objects, next, campaignFolder(id))
    return {
      head: await writeCommit(objects, draft),
      folder: folder?.id,
      tree: next,
      paths: [...edits.keys()],
    }
  }

  readonly #readDocuments: DocumentReader = async (folder, paths) => {
    const read = await Promise.all(
      paths.map(async (path) => {
        const entry = await findInTree(this.#git.objects, folder, path)
        if (entry === undefined) return undefined
        return [path, (await this.#git.objects.get(entry.id, 'blob')).toString('utf8')] as const
      }),
    )
    return new Map(read.filter((document) => document !== undefined))
  }

  async #namesIn(tree: string, path: string): Promise<string[]> {
    const entry = await findInTree(this.#git.objects, tree, path)
    return entry === undefined ? [] : (await readTree(this.#git.objects, entry.id)).map(({ name }) => name)
  }

  async #folderAt(head: string, campaign: string): Promise<string | undefined> {
    return (await findInTree(this.#git.objects, await this.#treeOf(head), campaignFolder(campaign)))?.id
  }

  async #treeOf(commit: string): Promise<string> {
    return (await readCommit(this.#git.objects, commit)).tree
  }
}

function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}

function stuck(code: 'state-conflict' | 'state-refused', detail: string): LoreleyError {
  return new LoreleyError(
    code,
    `The state branch cannot be updated: ${detail}`,
    'Look for a branch named `loreley` (it blocks all of ours), a stale lock file below .git/refs/heads/loreley or .git/refs/loreley, and for write permission.',
  )
}
