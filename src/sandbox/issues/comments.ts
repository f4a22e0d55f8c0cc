import { defineTable, type Store } from '../state/store.ts'
import type { Issue, LastEdit, Reaction } from './issues.ts'

/** A comment in the conversation of an issue or a pull request. */
export interface IssueComment {
  readonly id: number
  readonly repositoryId: number
  /** Of the issue. */
  readonly number: number
  readonly body: string
  readonly author: string
  readonly appId: number | null
  readonly reactions: readonly Reaction[]
  readonly createdAt: string
  readonly updatedAt: string
  readonly lastEdit?: LastEdit
}

export const comments = defineTable<IssueComment>('issue-comments')

/** Comments of a repository, oldest first. */
export function commentsOf(store: Store, repositoryId: number): IssueComment[] {
  return comments(store)
    .all()
    .filter((comment) => comment.repositoryId === repositoryId)
}

/** Comments on one issue or pull request, oldest first. */
export function commentsOn(store: Store, issue: Issue): IssueComment[] {
  return commentsOf(store, issue.repositoryId).filter((comment) => comment.number === issue.number)
}
