import { isAncestor } from '../../git/history.ts'
import type { Box } from '../box.ts'
import { isoTime } from '../format.ts'
import { findViolations } from '../rules/violations.ts'
import { type RepositoryDocument, repositories } from '../state/documents.ts'
import { emitRefEvents } from '../webhooks/ref-events.ts'
import type { BareRepository } from './bare-repository.ts'
import type { Mover, RefMove } from './ref-move.ts'
import { bringsWorkflows } from './workflow-guard.ts'

/** A requested move of a ref. */
export interface RefUpdate {
  readonly ref: string
  /** The new target. Undefined deletes the ref. */
  readonly to: string | undefined
  /** The required current target: an id or 'absent'. Not checked if missing. */
  readonly from?: string
  /** Required for moves that lose commits. */
  readonly force: boolean
  /**
   * The head of the pull request being merged. It satisfies rules that require a pull request, and its checks
   * count.
   */
  readonly pullHead?: string
}

export type MoveOutcome =
  | { readonly status: 'moved'; readonly moves: readonly RefMove[] }
  | {
      readonly status: 'refused'
      readonly ref: string
      readonly reason: RefusalReason
      /** The violated rules, one per line. */
      readonly violations?: readonly string[]
    }

export type RefusalReason =
  | 'already-exists'
  | 'does-not-exist'
  | 'stale'
  | 'no-such-object'
  | 'not-a-commit'
  | 'not-a-fast-forward'
  | 'workflows'
  | 'rules'
  | 'name-clash'

/** GitHub's message to an App that may not change workflow files. */
export const WORKFLOWS_REFUSED =
  'refusing to allow a GitHub App to create or update workflow files without `workflows` permission'

/** Moves all refs or none, and sends the events. The API changes refs only through this function. */
export async function moveRefs(
  box: Box,
  repo: RepositoryDocument,
  request: { readonly updates: readonly RefUpdate[]; readonly mover: Mover },
): Promise<MoveOutcome> {
  const git = await box.git.get(repo.id)
  const outcome = await git.exclusively(() => applyUpdates(box, repo, git, request))
  if (outcome.status === 'moved') await announceMoves(box, repo, outcome.moves, request.mover)
  return outcome
}

async function applyUpdates(
  box: Box,
  repo: RepositoryDocument,
  git: BareRepository,
  { updates, mover }: { readonly updates: readonly RefUpdate[]; readonly mover: Mover },
): Promise<MoveOutcome> {
  const moves: RefMove[] = []
  for (const update of updates) {
    const before = (await git.find(update.ref))?.id
    const checked = await checkUpdate(git, update, before)
    if (typeof checked === 'string') return { status: 'refused', ref: update.ref, reason: checked }
    if (update.to !== undefined && box.settings.guardWorkflows && !mover.mayChangeWorkflows) {
      if (await bringsWorkflows(git, repo, { before, after: update.to })) {
        return { status: 'refused', ref: update.ref, reason: 'workflows' }
      }
    }
    const move = { ref: update.ref, before, after: update.to, forced: checked.forced }
    const { pullHead } = update
    const violations = await findViolations(box, repo, git, { ...move, mover, pullHead })
    if (violations.length > 0) return { status: 'refused', ref: update.ref, reason: 'rules', violations }
    moves.push(move)
  }
  const applied = await git.applyRefs(
    moves.map(({ ref, before, after }) => ({ ref, to: after, from: before ?? 'absent' })),
  )
  // Everything else was checked before: git can only refuse a bad name, or one inside another (`a` beside
  // `a/b`).
  if (applied.status === 'refused')
    return { status: 'refused', ref: updates[0]?.ref ?? '', reason: 'name-clash' }
  return { status: 'moved', moves }
}

async function checkUpdate(
  git: BareRepository,
  update: RefUpdate,
  before: string | undefined,
): Promise<RefusalReason | { readonly forced: boolean }> {
  if (update.from === 'absent' && before !== undefined) return 'already-exists'
  if (update.from !== 'absent' && update.from !== undefined && update.from !== before) return 'stale'
  if (update.to === undefined) return before === undefined ? 'does-not-exist' : { forced: false }
  const target = await git.find(update.to)
  if (target === undefined) return 'no-such-object'
  if (update.ref.startsWith('refs/heads/') && target.type !== 'commit') return 'not-a-commit'
  const forced = before !== undefined && !(await isForward(git, before, update.to))
  return forced && !update.force ? 'not-a-fast-forward' : { forced }
}

async function isForward(git: BareRepository, before: string, after: string): Promise<boolean> {
  if (before === after) return true
  const [old, next] = await Promise.all([git.find(`${before}^{commit}`), git.find(`${after}^{commit}`)])
  return old !== undefined && next !== undefined && (await isAncestor(git.repository, old.id, next.id))
}

/** Records ref moves, by API or push, and sends the events. */
export async function announceMoves(
  box: Box,
  repo: RepositoryDocument,
  moves: readonly RefMove[],
  mover: Mover,
): Promise<void> {
  const real = moves.filter((move) => move.before !== move.after)
  if (real.length === 0) return
  const now = isoTime(box.now())
  const current = repositories(box.store).find(repo.id) ?? repo
  const touched = repositories(box.store).put(repo.id, { ...current, pushedAt: now, updatedAt: now })
  const by = { sender: mover.sender, ...(mover.runId === undefined ? {} : { runId: mover.runId }) }
  for (const move of real) await emitRefEvents(box, touched, move, by)
  for (const family of box.families) await family.onRefsMoved?.(box, { repo: touched, moves: real, ...by })
}
