import { diffTrees, type FileVersion, type PathChange } from '../git/listing.ts'
import type { ObjectStore } from '../git/objects/object-store.ts'
import { editTree } from '../git/objects/trees.ts'
import type { Repository } from '../git/repository.ts'
import type { ProposalDocument } from '../protocol/proposal.ts'

type Proposed = Extract<ProposalDocument['outcome'], { status: 'proposed' }>

export interface ApplyOrder {
  readonly repository: Repository
  readonly objects: ObjectStore
  readonly baseTree: string
  readonly proposed: Proposed
}

/** A tree that is exactly what was proposed, or why there is none. */
export type Application =
  | { readonly status: 'applied'; readonly tree: string }
  | { readonly status: 'refused'; readonly detail: string }

/**
 * Puts the proposed blobs over the base, byte for byte: git hashes what it is given, no filter and no line-end
 * rule takes part. The tree must come out as the proposal says, and differ from the base in the proposal's paths
 * and no others. Whether that may be measured is for the guard, which judges the tree (evaluate-job.ts).
 */
export async function applyProposal(order: ApplyOrder): Promise<Application> {
  const { repository, objects, baseTree, proposed } = order
  for (const { after } of proposed.files) {
    if (after !== undefined) await objects.write('blob', Buffer.from(after.content, 'base64'))
  }
  const edits = new Map(
    proposed.files.map(({ path, after }) => [path, after && { mode: after.mode, id: after.blob }]),
  )
  const tree = await editTree(objects, baseTree, edits)
  if (tree !== proposed.tree) return refused(`tree-mismatch: the files give ${tree ?? 'nothing'}`)
  const stray = findStray(await diffTrees(repository, baseTree, tree), proposed.files)
  if (stray !== undefined) return refused(`entry-mismatch: ${stray}`)
  return { status: 'applied', tree }
}

/** A path that one side changes otherwise than the other: git may have skipped it, or something stood in its way. */
function findStray(changes: readonly PathChange[], files: Proposed['files']): string | undefined {
  const found = new Map(changes.map((change) => [change.path, describe(change)]))
  const said = new Map(files.map((file) => [file.path, describe(file)]))
  return [...new Set([...found.keys(), ...said.keys()])].find((path) => found.get(path) !== said.get(path))
}

function describe({
  before,
  after,
}: {
  before?: FileVersion | undefined
  after?: FileVersion | undefined
}): string {
  return [before, after].map((side) => (side === undefined ? '-' : `${side.mode} ${side.blob}`)).join(' > ')
}

function refused(detail: string): Application {
  return { status: 'refused', detail }
}
