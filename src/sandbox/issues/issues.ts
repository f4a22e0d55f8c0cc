import type { Box } from '../box.ts'
import { isoTime } from '../format.ts'
import { defineTable, type Store } from '../state/store.ts'

export const STATE_REASONS = ['completed', 'reopened', 'not_planned', 'duplicate'] as const
export type StateReason = (typeof STATE_REASONS)[number]

export const LOCK_REASONS = ['off-topic', 'too heated', 'resolved', 'spam'] as const
export type LockReason = (typeof LOCK_REASONS)[number]

/** Who gave something another body, and when. */
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
  /** A login, as all people here. */
  readonly author: string
  /** The App that wrote it, if one did. */
  readonly appId: number | null
  readonly state: 'open' | 'closed'
  readonly stateReason: StateReason | null
  readonly closedAt: string | null
  readonly closedBy: string | null
  /** Ids of labels, in the order they were given. */
  readonly labels: readonly number[]
  readonly assignees: readonly string[]
  readonly locked: boolean
  readonly lockReason: LockReason | null
  /** How many comments there are: counting them anew for each view would be slow. */
  readonly comments: number
  readonly reactions: readonly Reaction[]
  readonly createdAt: string
  readonly updatedAt: string
  /** Who gave it another body last, and when. */
  readonly lastEdit?: LastEdit
  /** Set for a pull request, and kept up to date by its family; the rest of it is in a table of its own. */
  readonly pull?: {
    readonly id: number
    readonly draft: boolean
    readonly mergedAt: string | null
  }
}

export const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const

/** Kept in the row of what it is about. */
export interface Reaction {
  readonly id: number
  readonly login: string
  readonly content: (typeof REACTIONS)[number]
  readonly createdAt: string
}

/** What is known when an issue or a pull request is opened. */
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

/** Opens an issue or a pull request under the repository's next number. Nobody is told yet. */
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

/** The row as it is now: while a webhook was prepared, another call may have changed it. */
export function freshIssue(store: Store, issue: Issue): Issue {
  return findIssue(store, issue.repositoryId, issue.number) ?? issue
}

export function findIssueById(store: Store, id: number): Issue | undefined {
  return issues(store)
    .all()
    .find((issue) => issue.id === id)
}

/** True when there was an issue of this number, which is gone. */
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

/** Puts a changed row. */
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

/** Open issues and pull requests together, as `open_issues_count` says. */
export function countOpenIssues(store: Store, repositoryId: number): number {
  return openCounts(store).find(repositoryId) ?? 0
}

function openOnes(issue: Issue | undefined): number {
  return issue?.state === 'open' ? 1 : 0
}

// Every view of a repository shows the count, and every webhook has such a view.
function countChange(store: Store, repositoryId: number, by: number): void {
  if (by !== 0) openCounts(store).put(repositoryId, countOpenIssues(store, repositoryId) + by)
}
