import * as z from 'zod'
import { type ChangedPath, describeContent } from '../../guard/changed-path.ts'
import type { Guard, GuardReason, GuardVerdict } from '../../guard/guard.ts'
import type { Proposed } from '../../protocol/proposal.ts'
import type { TreeFile } from '../../store/object-ids.ts'
import { expectDone, type Outcome } from '../api/api-client.ts'
import type { RepositoryApi } from '../api/repository-api.ts'
import { type BaseTrees, FOLDER_MODE, foldersAbove } from './base-trees.ts'
import { BlobTexts } from './blob-texts.ts'

/** A proposal to turn into a commit. */
export interface CandidateDraft extends Pick<Proposed, 'files' | 'tree'> {
  readonly base: { readonly commit: string; readonly tree: string }
  readonly message: string
}

export type CandidateOutcome =
  | { readonly status: 'made'; readonly commit: string }
  | { readonly status: 'blocked'; readonly reason: GuardReason; readonly paths: readonly string[] }
  /** The proposal misstates the base. */
  | { readonly status: 'base-differs'; readonly path: string }
  | { readonly status: 'tree-differs'; readonly made: string }
  /** A push ruleset refuses these files; GitHub reports that for blobs and trees already. */
  | { readonly status: 'push-rule'; readonly message: string }

// We send nothing malformed, and forbidden or missing objects have other status codes.
const RULE_HTTP = 422
const INLINE_FILE_BYTES = 256 * 1024
const INLINE_BYTES = 1024 * 1024

const written = z.object({ sha: z.string() })

interface TreeEntry {
  readonly path: string
  readonly mode: string
  readonly type: 'blob'
  readonly sha?: string | null
  readonly content?: string
}

/** Creates candidate commits over the Git Data API, byte for byte as evaluated. */
export class Candidates {
  readonly #api: RepositoryApi
  readonly #trees: BaseTrees
  readonly #texts: BlobTexts

  constructor(api: RepositoryApi, trees: BaseTrees) {
    this.#api = api
    this.#trees = trees
    this.#texts = new BlobTexts(api)
  }

  /** Checks the guard, builds the tree, compares it with the evaluated one, then commits. */
  async make(draft: CandidateDraft, guard: Guard): Promise<CandidateOutcome> {
    const { base, files } = draft
    const misstated = await this.#findMisstated(draft)
    if (misstated !== undefined) return { status: 'base-differs', path: misstated }
    const verdict = await this.#check(draft, guard)
    if (verdict.status === 'blocked') return verdict
    const outcome = await this.#writeTree(draft)
    if (outcome.status === 'refused' && outcome.http === RULE_HTTP)
      return { status: 'push-rule', message: outcome.message }
    const tree = expectDone('the tree of a candidate', outcome).sha
    if (tree !== draft.tree) return { status: 'tree-differs', made: tree }
    this.#trees.derive(
      base.tree,
      tree,
      new Map(files.map(({ path, after }) => [path, after && { mode: after.mode, id: after.blob }])),
    )
    const commit = await this.commit({ tree, parent: base.commit, message: draft.message })
    return { status: 'made', commit }
  }

  /** Commits an existing tree. Without an author, GitHub signs it for the App. */
  async commit(draft: {
    readonly tree: string
    readonly parent: string
    readonly message: string
  }): Promise<string> {
    const { tree, parent, message } = draft
    const parameters = { message, tree, parents: [parent] }
    const outcome = await this.#tryWrite('POST /repos/{owner}/{repo}/git/commits', parameters)
    return expectDone('a commit', outcome).sha
  }

  async #check({ base, files }: CandidateDraft, guard: Guard): Promise<GuardVerdict> {
    const old = await this.#texts.read(files.flatMap(({ before }) => before?.blob ?? []))
    const changes = files.map(({ path, before, after }): ChangedPath => {
      const content = Buffer.from(after?.content ?? '', 'base64')
      const text = describeContent(Buffer.from(old.get(before?.blob ?? '') ?? '')).text
      return {
        path,
        before: before && { ...before, text },
        after: after && { mode: after.mode, blob: after.blob, ...describeContent(content) },
      }
    })
    // Only a new path can clash with one in the base.
    const fresh = files.filter(({ before }) => before === undefined).map(({ path }) => path)
    const near = fresh.length === 0 ? [] : await this.#trees.filesNear(base.tree, fresh)
    return await guard.check(
      changes,
      near.map(({ path }) => path),
    )
  }

  // An incomplete file list (for example without the file that a folder replaces) would pass the guard with less than the
  // whole diff.
  async #findMisstated({ base, files }: CandidateDraft): Promise<string | undefined> {
    const folders = files.flatMap(({ path, after }) => (after === undefined ? [] : foldersAbove(path)))
    const paths = [...new Set([...files.map(({ path }) => path), ...folders])]
    const there = await this.#trees.find(base.tree, paths)
    const blocked = folders.find((folder) => (there.get(folder)?.mode ?? FOLDER_MODE) !== FOLDER_MODE)
    return blocked ?? files.find((file) => !isSame(there.get(file.path), file.before))?.path
  }

  async #writeTree({ base, files }: CandidateDraft): Promise<Outcome<{ sha: string }>> {
    const entries: TreeEntry[] = []
    let inlineBytes = 0
    for (const { path, before, after } of files) {
      if (after === undefined) {
        entries.push({ path, mode: before?.mode ?? '100644', type: 'blob', sha: null })
        continue
      }
      const bytes = Buffer.from(after.content, 'base64')
      const text = inlineBytes + bytes.length <= INLINE_BYTES ? findInlineText(bytes) : undefined
      if (text === undefined) {
        const blob = await this.#writeBlob(after.content)
        if (blob.status !== 'done') return blob
      } else {
        inlineBytes += bytes.length
        this.#texts.remember(text)
      }
      entries.push({
        path,
        mode: after.mode,
        type: 'blob',
        ...(text === undefined ? { sha: after.blob } : { content: text }),
      })
    }
    const parameters = { base_tree: base.tree, tree: entries }
    return await this.#tryWrite('POST /repos/{owner}/{repo}/git/trees', parameters)
  }

  async #writeBlob(content: string): Promise<Outcome<{ sha: string }>> {
    return await this.#tryWrite('POST /repos/{owner}/{repo}/git/blobs', { content, encoding: 'base64' })
  }

  // Objects are named by their content, so writing one twice is safe.
  async #tryWrite(
    route: string,
    parameters: Readonly<Record<string, unknown>>,
  ): Promise<Outcome<{ sha: string }>> {
    const call = { route, parameters, answer: written, priority: 'state', repeatable: true } as const
    return await this.#api.ask(call)
  }
}

/** The text that reproduces these bytes in a tree request; undefined when none does. */
export function findInlineText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes.length > INLINE_FILE_BYTES || bytes.includes(0)) return undefined
  try {
    // Without ignoreBOM the decoder would drop a byte order mark.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function isSame(there: TreeFile | undefined, said: Proposed['files'][number]['before']): boolean {
  return there?.mode === said?.mode && there?.id === said?.blob
}
