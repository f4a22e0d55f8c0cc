import type { Box } from '../box.ts'
import { isoTime } from '../format.ts'
import { defineTable, type Store } from '../state/store.ts'
import type { Issue } from './issues.ts'

/** An entry in the timeline of an issue or pull request. */
export interface IssueEvent {
  readonly id: number
  readonly repositoryId: number
  readonly number: number
  /** GitHub's name, such as `closed`, `labeled` or `merged`. */
  readonly event: string
  readonly actor: string
  readonly appId: number | null
  readonly commitId: string | null
  readonly createdAt: string
  /** Extra fields of this event, as logins and names. */
  readonly detail: IssueEventDetail
}

export interface IssueEventDetail {
  readonly label?: { readonly name: string; readonly color: string }
  readonly assignee?: string
  readonly rename?: { readonly from: string; readonly to: string }
  readonly stateReason?: string | null
  readonly lockReason?: string | null
  readonly requestedReviewer?: string
}

/** A new timeline entry. `commitId` is set only if a commit caused it. */
export interface IssueEventDraft {
  readonly event: string
  readonly actor: string
  readonly appId: number | null
  readonly commitId?: string
  readonly detail?: IssueEventDetail
}

export const issueEvents = defineTable<IssueEvent>('issue-events')

/** Adds to an issue's timeline. */
export function recordEvent(box: Box, issue: Issue, draft: IssueEventDraft): IssueEvent {
  const id = box.store.next('issue-events')
  return issueEvents(box.store).put(id, {
    commitId: null,
    detail: {},
    ...draft,
    id,
    repositoryId: issue.repositoryId,
    number: issue.number,
    createdAt: isoTime(box.now()),
  })
}

/** All events of a repository, oldest first. */
export function eventsOf(store: Store, repositoryId: number): IssueEvent[] {
  return issueEvents(store)
    .all()
    .filter((event) => event.repositoryId === repositoryId)
}
