import type { RunFacts } from '../../github/runs/runs.ts'
import type { Sender } from '../people/sender.ts'

/** An issue as a webhook shows it, with its text at that moment. */
export interface SeenIssue {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly isPull: boolean
}

type IssueChange = 'closed' | 'deleted' | 'transferred' | 'locked' | 'unlabeled' | 'reopened' | 'unlocked'

/** The content of a webhook that matters to campaigns. Anything else only triggers a reconcile. */
export type RepositoryEvent =
  | {
      readonly type: 'labelled'
      readonly issue: SeenIssue
      readonly label: string
      readonly at?: string | undefined
    }
  | {
      /** The issue changed in a way that may pause its campaign or resume it. */
      readonly type: 'issue-changed'
      readonly issue: SeenIssue
      /** The name of the event in GitHub's issue timeline. */
      readonly how: IssueChange
      readonly label?: string | undefined
      readonly at?: string | undefined
    }
  | {
      readonly type: 'issue-edited'
      readonly issue: SeenIssue
      /** What the sender changed. Other text may come from somebody else. */
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
      /** The runner's label. */
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

/** What GitHub does not keep: who acted, and the text at that moment. */
export interface Evidence<T extends RepositoryEvent['type'] = RepositoryEvent['type']> {
  readonly event: EventOf<T>
  readonly sender: Sender
  /** The GUID of the webhook. GitHub keeps it when it sends the webhook again. */
  readonly delivery?: string | undefined
}

/** The evidence of one kind, in order of arrival. */
export function evidenceOf<T extends RepositoryEvent['type']>(
  evidence: readonly Evidence[],
  type: T,
): readonly Evidence<T>[] {
  return evidence.flatMap(({ event, sender }) => (isOfType(event, type) ? [{ event, sender }] : []))
}

/** Groups evidence by subject. */
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
  /** The head is in the same repository. Only then can the pull request be ours. */
  readonly isOwn: boolean
}

const FROM_MACHINES: ReadonlySet<RepositoryEvent['type']> = new Set([
  'run-completed',
  'job-completed',
  'pull-changed',
  'pushed',
  'other',
])

/** Whether a person acted and waits for a reaction. */
export function isByPerson({ type }: RepositoryEvent): boolean {
  return !FROM_MACHINES.has(type)
}
