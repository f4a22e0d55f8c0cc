import type { RunFacts } from './runs.ts'

/** What we know about a run because we dispatched it. */
export interface ExpectedRun {
  readonly id: number
  readonly repositoryId: number
  readonly path: string
  readonly branch: string
  readonly sha: string
  /** The App's own login, such as `loreley[bot]`. */
  readonly actor: string
}

export type DistrustReason =
  | 'another-run'
  | 'another-repository'
  | 'another-workflow'
  | 'another-branch'
  | 'another-commit'
  | 'another-event'
  | 'another-actor'
  /** A person re-ran it: its result is not the one we asked for. */
  | 'ran-again'

export type RunTrust =
  | { readonly status: 'trusted' }
  | { readonly status: 'distrusted'; readonly reason: DistrustReason }

/** Whether a finished run is the one we dispatched. Checked before anything of it is read. */
export function judgeRun(run: RunFacts, expected: ExpectedRun): RunTrust {
  const checks: readonly [boolean, DistrustReason][] = [
    [run.id === expected.id, 'another-run'],
    [run.repositoryId === expected.repositoryId, 'another-repository'],
    [run.path === expected.path, 'another-workflow'],
    [run.branch === expected.branch, 'another-branch'],
    [run.sha === expected.sha, 'another-commit'],
    [run.event === 'workflow_dispatch', 'another-event'],
    [run.attempt === 1, 'ran-again'],
    [run.actors.every((actor) => actor === expected.actor), 'another-actor'],
  ]
  const [, reason] = checks.find(([holds]) => !holds) ?? []
  return reason === undefined ? { status: 'trusted' } : { status: 'distrusted', reason }
}
