import { digestOf } from '../config/digest.ts'
import { cleanText } from '../core/clean-text.ts'
import { cleanOutput } from '../core/redact-secrets.ts'
import { diffTrees, type FileVersion, type PathChange } from '../git/listing.ts'
import type { ObjectStore } from '../git/objects/object-store.ts'
import { editTree } from '../git/objects/trees.ts'
import type { Repository } from '../git/repository.ts'
import type { ArtifactReading } from '../protocol/artifact.ts'
import type { RunName } from '../protocol/dispatch.ts'
import { PROPOSAL_LIMITS, type ProposalDocument, type Proposed } from '../protocol/proposal.ts'
import type { JobContext } from './job-context.ts'
import { DETAIL_CHARACTERS } from './measuring/evaluate.ts'
import type { Proposal } from './proposing/propose-candidate.ts'

/** A proposal as it travels to the machine that measures it: with the bytes of every file that it changes. */
export async function packProposal(
  { repository, objects }: { readonly repository: Repository; readonly objects: ObjectStore },
  base: { readonly commit: string; readonly tree: string },
  proposal: Exclude<Proposal, { status: 'duplicate' }>,
): Promise<Pick<ProposalDocument, 'base' | 'outcome'>> {
  const said = {
    plan: cleanText(proposal.plan, PROPOSAL_LIMITS.planCharacters),
    transcript: cleanText(proposal.transcript ?? '', PROPOSAL_LIMITS.transcriptCharacters),
    models: [...proposal.models],
    briefDigest: digestOf(proposal.brief),
    usage: proposal.usage,
  }
  if (proposal.status === 'failed') {
    const { status, reason, detail } = proposal
    return { base, outcome: { status, reason, detail, ...said } }
  }
  const { status, tree, summary, card, descriptor } = proposal
  const own = await diffTrees(repository, base.tree, tree)
  const files = own.map(async ({ path, before, after }) => ({
    path,
    ...(before && { before: plainFile(before) }),
    ...(after && { after: { ...plainFile(after), content: await readBase64(objects, after.blob) } }),
  }))
  const outcome = { status, tree, files: await Promise.all(files), summary, card, descriptor, ...said }
  return { base, outcome }
}

// The guard lets no other mode pass.
function plainFile({ mode, blob }: FileVersion) {
  return { mode: mode === '100755' ? ('100755' as const) : ('100644' as const), blob }
}

async function readBase64(objects: ObjectStore, blob: string): Promise<string> {
  return (await objects.get(blob, 'blob')).toString('base64')
}

/** What a proposal must agree with: the run that it belongs to, GitHub's record of its tree, and the job's base. */
export interface ExpectedProposal {
  readonly run: Pick<RunName, 'candidate' | 'nonce'>
  readonly tree: string | undefined
  readonly base: { readonly commit: string; readonly tree: string }
}

/** The proposed tree and what differs from the campaign's root, or why the proposal is refused. */
export type Application =
  | { readonly status: 'applied'; readonly tree: string; readonly changes: readonly PathChange[] }
  | { readonly status: 'failed'; readonly reason: 'guard-blocked'; readonly detail: string }

/** Rebuilds a proposal that came from another machine. The guard judges the tree later (measuring/evaluate-tree.ts). */
export async function openProposal(
  { preparedRoot, objects }: Pick<JobContext, 'preparedRoot' | 'objects'>,
  reading: ArtifactReading<ProposalDocument>,
  expected: ExpectedProposal,
): Promise<Application> {
  if (reading.status === 'unreadable') return refused(`proposal-unreadable: ${reading.detail}`)
  const { outcome, base, candidate, nonce } = reading.document
  if (outcome.status !== 'proposed') return refused('proposal-unreadable: it proposes nothing')
  if (candidate !== expected.run.candidate || nonce !== expected.run.nonce)
    return refused('proposal-swapped: it belongs to another run')
  if (outcome.tree !== expected.tree) return refused('proposal-swapped: it has another tree')
  if (base.commit !== expected.base.commit || base.tree !== expected.base.tree)
    return refused('proposal-swapped: it has another base')
  const { repository } = preparedRoot.area
  const applied = await applyProposal({ repository, objects, baseTree: base.tree, proposed: outcome })
  if (applied.status === 'refused') return refused(applied.detail)
  const { tree } = applied
  return { status: 'applied', tree, changes: await diffTrees(repository, preparedRoot.rootTree, tree) }
}

// The detail may quote the proposal, which a machine that ran an agent has written.
function refused(detail: string): Application {
  return { status: 'failed', reason: 'guard-blocked', detail: cleanOutput(detail, DETAIL_CHARACTERS) }
}

interface ApplyRequest {
  readonly repository: Repository
  readonly objects: ObjectStore
  readonly baseTree: string
  readonly proposed: Proposed
}

/**
 * Puts the proposed blobs over the base, byte for byte: no filter and no line-end rule applies. The tree must have the
 * id that the proposal names, and differ from the base in exactly the proposal's paths.
 */
export async function applyProposal(
  request: ApplyRequest,
): Promise<
  | { readonly status: 'applied'; readonly tree: string }
  | { readonly status: 'refused'; readonly detail: string }
> {
  const { repository, objects, baseTree, proposed } = request
  for (const { after } of proposed.files) {
    if (after !== undefined) await objects.write('blob', Buffer.from(after.content, 'base64'))
  }
  const edits = new Map(
    proposed.files.map(({ path, after }) => [path, after && { mode: after.mode, id: after.blob }]),
  )
  const tree = await editTree(objects, baseTree, edits)
  if (tree !== proposed.tree)
    return { status: 'refused', detail: `tree-mismatch: the files give ${tree ?? 'nothing'}` }
  const stray = findStray(await diffTrees(repository, baseTree, tree), proposed.files)
  return stray === undefined
    ? { status: 'applied', tree }
    : { status: 'refused', detail: `entry-mismatch: ${stray}` }
}

/** A path whose change differs between the two sides: git may have skipped it. */
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
