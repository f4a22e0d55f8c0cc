import type { RunFacts } from '../../github/runs/runs.ts'
import type { Sender } from '../people/sender.ts'

/** An issue as a webhook shows it: its words at that moment. */
export interface SeenIssue {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly isPull: boolean
}

type IssueChange = 'closed' | 'deleted' | 'transferred' | 'locked' | 'unlabeled' | 'reopened' | 'unlocked'

/** What a webhook says that matters to campaigns. Everything else only means: reconcile. */
export type RepositoryEvent =
  | {
      readonly type: 'labelled'
      readonly issue: SeenIssue
      readonly label: string
      readonly at?: string | undefined
    }
  | {
      /** Something happened to an issue that may end its request, or take that end back. */
      readonly type: 'issue-changed'
      readonly issue: SeenIssue
      /** As GitHub's history of the issue calls it. */
      readonly how: IssueChange
      readonly label?: string | undefined
      readonly at?: string | undefined
    }
  | {
      readonly type: 'issue-edited'
      readonly issue: SeenIssue
      /** What the sender has changed: all else may be somebody else's. */
      readonly changed: { readonly title: boolean; readonly body: boolean }
    }
  | {
      readonly type: 'commented'
      readonly issue: SeenIssue
      readonly comment: number
      readonly body: string
      readonly at?: string | undefined
    }
  | {
      readonly type: 'comment-edited'
      readonly issue: SeenIssue
      readonly comment: number
      readonly author: string
      readonly body: string
      readonly before: string
    }
  | { readonly type: 'pull-edited'; readonly pull: SeenPull; readonly before: string; readonly body: string }
  | { readonly type: 'run-completed'; readonly run: RunFacts }
  | {
      readonly type: 'job-completed'
      readonly run: number
      readonly name: string
      /** Of the runner. */
      readonly label?: string | undefined
    }
  | {
      readonly type: 'button'
      readonly externalId: string
      readonly identifier: string
      readonly sha: string
    }
  | { readonly type: 'pull-closed'; readonly pull: SeenPull; readonly merged: boolean }
  | { readonly type: 'pull-changed'; readonly pull: SeenPull }
  | { readonly type: 'pushed'; readonly branch: string; readonly paths: readonly string[] }
  | { readonly type: 'other' }

/** What a webhook shows and GitHub does not keep: who did it, and the words at that moment. */
export interface Evidence<T extends RepositoryEvent['type'] = RepositoryEvent['type']> {
  readonly event: EventOf<T>
  readonly sender: Sender
}

/** The evidence of one kind, in the order of its arrival. */
export function evidenceOf<T extends RepositoryEvent['type']>(
  evidence: readonly Evidence[],
  type: T,
): readonly Evidence<T>[] {
  return evidence.flatMap(({ event, sender }) => (isOfType(event, type) ? [{ event, sender }] : []))
}

/** Evidence about the same thing, together. */
export function groupEvidence<T>(
  evidence: readonly T[],
  keyOf: (evidence: T) => string | number,
): readonly (readonly T[])[] {
  const groups = new Map<string | number, T[]>()
  for (const each of evidence) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each])
  return [...groups.values()]
}

function isOfType<T extends RepositoryEvent['type']>(event: RepositoryEvent, type: T): event is EventOf<T> {
  return event.type === type
}

export type EventOf<T extends RepositoryEvent['type']> = Extract<RepositoryEvent, { type: T }>

/** A pull request as a webhook shows it. */
export interface SeenPull {
  readonly number: number
  readonly headRef: string
  readonly headSha: string
  /** The head is a branch of the same repository: only such a one can be ours. */
  readonly isOwn: boolean
}

const FROM_MACHINES: ReadonlySet<RepositoryEvent['type']> = new Set([
  'run-completed',
  'job-completed',
  'pull-changed',
  'pushed',
  'other',
])

/** Whether a person did something and waits for the app to take it in. */
export function isByPerson({ type }: RepositoryEvent): boolean {
  return !FROM_MACHINES.has(type)
}
