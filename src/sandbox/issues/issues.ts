import type { Box } from '../box.ts'
import { isoTime } from '../format.ts'
import { defineTable, type Store } from '../state/store.ts'

export const STATE_REASONS = ['completed', 'reopened', 'not_planned', 'duplicate'] as const
export type StateReason = (typeof STATE_REASONS)[number]

export const LOCK_REASONS = ['off-topic', 'too heated', 'resolved', 'spam'] as const
export type LockReason = (typeof LOCK_REASONS)[number]

/** Who edited a body, and when. */
export interface LastEdit {
  readonly login: string
  readonly at: string
}

/** An issue. A pull request is one too: both share numbers, labels, comments, reactions and events. */
export interface Issue {
  readonly id: number
  readonly repositoryId: number
  readonly number: number
  readonly title: string
  readonly body: string | null
  /** A login, like all people here. */
  readonly author: string
  /** The App that wrote it, if one did. */
  readonly appId: number | null
  readonly state: 'open' | 'closed'
  readonly stateReason: StateReason | null
  readonly closedAt: string | null
  readonly closedBy: string | null
  /** Ids of labels, in the order they were added. */
  readonly labels: readonly number[]
  readonly assignees: readonly string[]
  readonly locked: boolean
  readonly lockReason: LockReason | null
  /** The number of comments. Counting them for each view would be slow. */
  readonly comments: number
  readonly reactions: readonly Reaction[]
  readonly createdAt: string
  readonly updatedAt: string
  /** Who last edited the body, and when. */
  readonly lastEdit?: LastEdit
  /** Set for a pull request, whose other fields are in their own table. */
  readonly pull?: {
    readonly id: number
    readonly draft: boolean
    readonly mergedAt: string | null
  }
}

export const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const

/** Stored with the issue or comment. */
export interface Reaction {
  readonly id: number
  readonly login: string
  readonly content: (typeof REACTIONS)[number]
  readonly createdAt: string
}

/** A new issue or pull request. */
export interface IssueDraft {
  readonly title: string
  readonly body: string | null
  readonly author: string
  readonly appId: number | null
  readonly labels?: readonly number[]
  readonly assignees?: readonly string[]
  readonly pull?: NonNullable<Issue['pull']>
}

const issues = defineTable<Issue>('issues')
const openCounts = defineTable<number>('open-issue-counts')

/** Opens an issue or pull request under the repository's next number. Sends no event. */
export function addIssue(box: Box, repositoryId: number, draft: IssueDraft): Issue {
  const now = isoTime(box.now())
  return saveIssue(box.store, {
    labels: [],
    assignees: [],
    ...draft,
    id: box.store.next('issues'),
    repositoryId,
    number: box.store.next(sequenceOf(repositoryId)),
    state: 'open',
    stateReason: null,
    closedAt: null,
    closedBy: null,
    locked: false,
    lockReason: null,
    comments: 0,
    reactions: [],
    createdAt: now,
    updatedAt: now,
  })
}

const keyOf = (repositoryId: number, number: number): string => `${repositoryId}#${number}`

const sequenceOf = (repositoryId: number): string => `issue numbers of ${repositoryId}`

export function findIssue(store: Store, repositoryId: number, number: number): Issue | undefined {
  return issues(store).find(keyOf(repositoryId, number))
}

/** The current row: another call may have changed it while a webhook was prepared. */
export function freshIssue(store: Store, issue: Issue): Issue {
  return findIssue(store, issue.repositoryId, issue.number) ?? issue
}

export function findIssueById(store: Store, id: number): Issue | undefined {
  return issues(store)
    .all()
    .find((issue) => issue.id === id)
}

/** True when the issue with this number was deleted. */
export function isDeletedIssue(store: Store, repositoryId: number, number: number): boolean {
  const isUsed = number >= 1 && number <= store.last(sequenceOf(repositoryId))
  return isUsed && findIssue(store, repositoryId, number) === undefined
}

/** All issues and pull requests of a repository, oldest first. */
export function issuesOf(store: Store, repositoryId: number): Issue[] {
  return issues(store)
    .all()
    .filter((issue) => issue.repositoryId === repositoryId)
}

/** Saves a row. */
export function saveIssue(store: Store, issue: Issue): Issue {
  const before = findIssue(store, issue.repositoryId, issue.number)
  countChange(store, issue.repositoryId, openOnes(issue) - openOnes(before))
  return issues(store).put(keyOf(issue.repositoryId, issue.number), issue)
}

export function removeIssue(store: Store, issue: Issue): void {
  const before = findIssue(store, issue.repositoryId, issue.number)
  countChange(store, issue.repositoryId, -openOnes(before))
  issues(store).remove(keyOf(issue.repositoryId, issue.number))
}

/** The number of open issues and pull requests together, as in `open_issues_count`. */
export function countOpenIssues(store: Store, repositoryId: number): number {
  return openCounts(store).find(repositoryId) ?? 0
}

function openOnes(issue: Issue | undefined): number {
  return issue?.state === 'open' ? 1 : 0
}

// Counted incrementally: every webhook shows a repository with this count.
function countChange(store: Store, repositoryId: number, by: number): void {
  if (by !== 0) openCounts(store).put(repositoryId, countOpenIssues(store, repositoryId) + by)
}
