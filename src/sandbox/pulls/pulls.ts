import { findIssue, type Issue } from '../issues/issues.ts'
import { defineTable, type Store } from '../state/store.ts'

/** The fields of a pull request that its issue does not have. The issue has title, body, state and labels. */
export interface PullRequest {
  readonly id: number
  readonly repositoryId: number
  readonly number: number
  /** The branch and its last known tip, which stays readable after the branch is gone. */
  readonly head: BranchTip
  readonly base: BranchTip
  readonly draft: boolean
  readonly merged: Merged | null
  readonly requestedReviewers: readonly string[]
}

interface BranchTip {
  readonly ref: string
  readonly sha: string
}

interface Merged {
  readonly at: string
  readonly by: string
  readonly commit: string
}

/** A pull request with its issue. */
export interface Pull {
  readonly pull: PullRequest
  readonly issue: Issue
}

const pulls = defineTable<PullRequest>('pulls')

const keyOf = (repositoryId: number, number: number): string => `${repositoryId}#${number}`

export function findPull(store: Store, repositoryId: number, number: number): Pull | undefined {
  const pull = pulls(store).find(keyOf(repositoryId, number))
  const issue = findIssue(store, repositoryId, number)
  return pull === undefined || issue === undefined ? undefined : { pull, issue }
}

/** Finds a pull request by its GraphQL id. */
export function findPullById(store: Store, id: number): Pull | undefined {
  const found = pulls(store)
    .all()
    .find((pull) => pull.id === id)
  return found === undefined ? undefined : findPull(store, found.repositoryId, found.number)
}

/** All pull requests of a repository, oldest first. */
export function pullsOf(store: Store, repositoryId: number): Pull[] {
  return pulls(store)
    .all()
    .filter((pull) => pull.repositoryId === repositoryId)
    .flatMap((pull) => findPull(store, repositoryId, pull.number) ?? [])
}

/** The open pull requests whose head is this commit. */
export function openPullsAt(store: Store, repositoryId: number, sha: string): PullRequest[] {
  return pullsOf(store, repositoryId)
    .filter(({ pull, issue }) => issue.state === 'open' && pull.head.sha === sha)
    .map(({ pull }) => pull)
}

export function savePull(store: Store, pull: PullRequest): PullRequest {
  return pulls(store).put(keyOf(pull.repositoryId, pull.number), pull)
}
