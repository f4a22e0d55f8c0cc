import { gitFailed } from './command.ts'
import { type Repository, runInRepository, tryInRepository } from './repository.ts'

/** True when `ancestor` is reachable from `descendant`, or the same commit. */
export async function isAncestor(
  repository: Repository,
  ancestor: string,
  descendant: string,
): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', ancestor, descendant]
  const outcome = await tryInRepository(repository, args)
  if (outcome.exitCode > 1) throw gitFailed(args, outcome.stderr)
  return outcome.exitCode === 0
}

/** The best common ancestor; undefined for unrelated histories. */
export async function findMergeBase(
  repository: Repository,
  a: string,
  b: string,
): Promise<string | undefined> {
  const outcome = await tryInRepository(repository, ['merge-base', a, b])
  const id = outcome.stdout.toString('utf8').trim()
  return id === '' ? undefined : id
}

export interface CommitQuery {
  /** Commits. `^commit` excludes everything reachable from it. */
  readonly revisions: readonly string[]
  readonly path?: string
  readonly since?: string
  readonly until?: string
  readonly author?: string
  readonly limit?: number
}

/** Commit ids, newest first. */
export async function listCommits(repository: Repository, query: CommitQuery): Promise<string[]> {
  const option = (name: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [`--${name}=${value}`]
  const args = [
    'rev-list',
    ...option('since', query.since),
    ...option('until', query.until),
    ...option('author', query.author),
    ...option('max-count', query.limit),
    ...query.revisions,
    '--',
    ...(query.path === undefined ? [] : [query.path]),
  ]
  const output = await runInRepository(repository, args)
  return output.toString('utf8').split('\n').filter(Boolean)
}

export type MergeOutcome =
  | { readonly status: 'clean'; readonly tree: string }
  | { readonly status: 'conflict' }

/** Merges two commits in memory: gives a tree or a conflict. */
export async function mergeTrees(
  repository: Repository,
  ours: string,
  theirs: string,
): Promise<MergeOutcome> {
  const args = [
    'merge-tree',
    '--write-tree',
    '--name-only',
    '--no-messages',
    '--allow-unrelated-histories',
    ours,
    theirs,
  ]
  const outcome = await tryInRepository(repository, args)
  if (outcome.exitCode > 1 || outcome.exitCode < 0) throw gitFailed(args, outcome.stderr)
  if (outcome.exitCode === 1) return { status: 'conflict' }
  return { status: 'clean', tree: outcome.stdout.toString('utf8').trim() }
}
