import * as z from 'zod'
import type { LedgerEntry } from '../core/campaign.ts'
import { LoreleyError } from '../errors.ts'
import type { CampaignConfig } from '../protocol/config-document.ts'
import { renderCampaignList } from '../store/campaign-list.ts'
import { decodeCampaign } from '../store/decode.ts'
import { documentsToLoad, findEdits, readShards, readTreeIndex, snapshotOf } from '../store/documents.ts'
import { encodeCampaign } from '../store/encode.ts'
import { campaignFolder, type ElitePlace } from '../store/layout.ts'
import { blobId, type TreeFile, treeId } from '../store/object-ids.ts'
import type { Change, CommitOutcome, Revision, Snapshot, StateStore } from '../store/state-store.ts'
import type { Clock } from './clock.ts'
import type { StatePace } from './pace-settings.ts'
import type { RepositoryApi } from './repository-api.ts'
import { type BranchView, type Listing, StateBranch } from './state-branch.ts'
import { StatePublisher } from './state-publisher.ts'

export interface GitHubStoreOptions {
  readonly api: RepositoryApi
  readonly clock: Clock
  readonly pace: StatePace
  /** Where a campaign's elites stand: what `archive.refs` says, or what the preflight found out for `auto`. */
  readonly elitePlace: (config: CampaignConfig) => ElitePlace
  /** Asked right before a push: false when another process has taken this repository over. */
  readonly mayPush?: () => Promise<boolean>
}

const TRIES = 20
const RETRY_MS = 400
// A branch that seems unmoved, yet cannot be moved: GitHub may show an old one for some seconds.
const REFUSALS = 5
const MINUTE_MS = 60_000

const written = z.object({ sha: z.string() })

/** A folder as a change makes it. */
interface NextFolder {
  readonly id: string
  readonly listing: Listing
  /** Texts by path below the folder; undefined where a document goes. */
  readonly edits: ReadonlyMap<string, string | undefined>
}

/**
 * The state branch of a repository on GitHub. A commit is three requests: a tree, a commit, and one move of the
 * state with all refs that go with it. What was written is remembered: GitHub may show it late.
 */
export class GitHubStore implements StateStore {
  readonly #options: GitHubStoreOptions
  readonly #branch: StateBranch
  readonly #publisher: StatePublisher
  readonly #pushes: number[] = []
  /** The branch after our last commit. Others may have moved it since: then GitHub refuses, and we look. */
  #view: BranchView | undefined

  constructor(options: GitHubStoreOptions) {
    this.#options = options
    this.#branch = new StateBranch(options.api)
    this.#publisher = new StatePublisher(options.api)
  }

  async list(): Promise<readonly string[]> {
    return [...(await this.folders()).keys()]
  }

  /** All campaigns with the ids of their folders: one that differs from a snapshot's was changed by somebody else. */
  async folders(): Promise<ReadonlyMap<string, string>> {
    const view = await this.#branch.readView()
    return new Map(campaignsIn(view).map((id) => [id, folderIn(view, id) ?? '']))
  }

  async load(campaign: string): Promise<Snapshot | undefined> {
    const view = await this.#branch.readView()
    const folder = folderIn(view, campaign)
    if (folder === undefined) return undefined
    const listing = await this.#branch.list(folder)
    const { paths, shard } = documentsToLoad(namesIn(listing, 'jobs/'), namesIn(listing, 'ledger/'))
    const documents = await this.#branch.read(folder, paths)
    const stored = decodeCampaign(campaignFolder(campaign), documents, shard)
    this.#view = view
    return { ...stored, revision: { head: view.head, folder, documents } }
  }

  async withTrees(snapshot: Snapshot, trees: readonly string[]): Promise<Snapshot> {
    return await readTreeIndex(snapshot, trees, (folder, paths) => this.#branch.read(folder, paths))
  }

  readLedger(snapshot: Snapshot, what?: 'with-embeddings'): AsyncIterable<LedgerEntry> {
    return readShards(snapshot, (folder, paths) => this.#branch.read(folder, paths), what !== undefined)
  }

  /** Refs that were refused are asked for again: call it when the reason may be gone. */
  retryRefused(): void {
    this.#publisher.forget()
  }

  async commit(base: Revision | undefined, change: Change): Promise<CommitOutcome> {
    const { id } = change.state.campaign
    const documents = new Map([...encodeCampaign(change), ...change.pages])
    const folder = await this.#nextFolder(base?.folder, findEdits(base, documents))
    const refs = await this.#publisher.callFor(base, change, this.#options.elitePlace(change.config))
    let view = this.#view ?? (await this.#branch.readView())
    for (let tried = 0; tried < TRIES; tried++) {
      // Another campaign's commit on the same branch is no conflict: the folder is what we compare and swap.
      if (folderIn(view, id) !== base?.folder) view = await this.#branch.readView()
      if (folderIn(view, id) !== base?.folder) return this.#conflict()
      const next = await this.#writeHead(view, change, folder)
      await this.#waitForPush()
      // Waiting may have taken long enough for others to think us dead. What still slips through meets the swap.
      if ((await this.#options.mayPush?.()) === false) throw fencedOff(id)
      const outcome = await this.#publisher.publish(view.head, next.head, refs)
      if (outcome.status === 'published') {
        this.#view = next
        this.#branch.remember(folder.id, folder.listing, documents.values())
        const snapshot = snapshotOf(change, { head: next.head, folder: folder.id, documents })
        return { status: 'committed', snapshot, unpublished: outcome.unpublished }
      }
      if (outcome.status === 'refused' && tried >= REFUSALS) throw stuck(outcome.message)
      await this.#options.clock.sleep(RETRY_MS * this.#options.clock.jitter() * (tried + 1))
      view = await this.#branch.readView()
    }
    return this.#conflict()
  }

  #conflict(): CommitOutcome {
    this.#view = undefined
    this.#publisher.forget()
    return { status: 'conflict' }
  }

  async #nextFolder(base: string | undefined, edits: NextFolder['edits']): Promise<NextFolder> {
    const listing = new Map(base === undefined ? [] : await this.#branch.list(base))
    for (const [path, text] of edits) {
      if (text === undefined) listing.delete(path)
      else listing.set(path, fileOf(text))
    }
    return { id: treeId(listing) ?? '', listing, edits }
  }

  async #writeHead(
    view: BranchView,
    change: Change,
    folder: NextFolder,
  ): Promise<BranchView & { readonly head: string }> {
    const { id } = change.state.campaign
    const files = new Map([...folder.edits].map(([path, text]) => [`${campaignFolder(id)}/${path}`, text]))
    const listing = new Map(view.listing).set(campaignFolder(id), { mode: '40000', id: folder.id })
    if (folderIn(view, id) === undefined) {
      const list = renderCampaignList([...campaignsIn(view), id].sort())
      files.set('README.md', list)
      listing.set('README.md', fileOf(list))
    }
    const tree = await this.#writeTree(view.tree, files)
    // Our own sum tells the folder's id, which GitHub's answer does not, and that every byte arrived.
    if (tree !== treeId(listing)) throw miscounted(tree)
    const head = await this.#write('POST /repos/{owner}/{repo}/git/commits', {
      message: `${change.subject} [skip ci]`,
      tree,
      parents: view.head === undefined ? [] : [view.head],
    })
    return { head, tree, listing }
  }

  async #writeTree(base: string | undefined, files: NextFolder['edits']): Promise<string> {
    const tree = [...files].map(([path, text]) => ({
      path,
      mode: '100644',
      type: 'blob',
      ...(text === undefined ? { sha: null } : { content: text }),
    }))
    const parameters = base === undefined ? { tree } : { tree, base_tree: base }
    return await this.#write('POST /repos/{owner}/{repo}/git/trees', parameters)
  }

  async #write(route: string, parameters: Readonly<Record<string, unknown>>): Promise<string> {
    const call = { route, parameters, answer: written, priority: 'state', repeatable: true } as const
    return (await this.#options.api.get(call)).sha
  }

  async #waitForPush(): Promise<void> {
    const { clock, pace } = this.#options
    const first = this.#pushes[this.#pushes.length - pace.pushesPerMinute]
    if (first !== undefined) await clock.sleep(Math.max(0, first + MINUTE_MS - clock.now()))
    const now = clock.now()
    while ((this.#pushes[0] ?? now) <= now - MINUTE_MS) this.#pushes.shift()
    this.#pushes.push(now)
  }
}

function fileOf(text: string): TreeFile {
  return { mode: '100644', id: blobId(text) }
}

function folderIn({ listing }: BranchView, campaign: string): string | undefined {
  return listing.get(campaignFolder(campaign))?.id
}

function campaignsIn({ listing }: BranchView): string[] {
  return namesIn(listing, 'campaigns/')
}

function namesIn(listing: Listing, prefix: string): string[] {
  const paths = [...listing.keys()].filter((path) => path.startsWith(prefix))
  return paths.map((path) => path.slice(prefix.length))
}

function stuck(detail: string): LoreleyError {
  return new LoreleyError(
    'state-conflict',
    `GitHub does not let us move the state branch: ${detail}`,
    'Look for a branch named `loreley` (it blocks all of ours), and for branch protection or rulesets that match `loreley/**`.',
  )
}

function fencedOff(campaign: string): LoreleyError {
  return new LoreleyError(
    'state-conflict',
    `Another process has taken over the repository: nothing was written for ${campaign}.`,
    'It carries on from the state branch. If this happens often, the server is overloaded or its clock stands still.',
  )
}

function miscounted(tree: string): LoreleyError {
  return new LoreleyError(
    'internal',
    `GitHub made the tree ${tree} of the state, which is not the one it was asked for.`,
    'Nothing was published. Please report this with the state branch.',
  )
}
