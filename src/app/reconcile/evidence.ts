import type { RunFacts } from '../../github/runs/runs.ts'

export interface IssueFacts {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly isPull: boolean
}

/** What a webhook says that matters to campaigns. Everything else only means: reconcile. */
export type AppEvent =
  | {
      readonly type: 'labelled'
      readonly issue: IssueFacts
      readonly label: string
      readonly at?: string | undefined
    }
  | { readonly type: 'unlabelled'; readonly issue: IssueFacts; readonly label: string }
  | { readonly type: 'issue-gone'; readonly issue: IssueFacts; readonly how: string }
  | { readonly type: 'issue-back'; readonly issue: IssueFacts }
  | {
      readonly type: 'issue-edited'
      readonly issue: IssueFacts
      /** What the sender has changed: all else may be somebody else's. */
      readonly changed: { readonly title: boolean; readonly body: boolean }
    }
  | {
      readonly type: 'commented'
      readonly issue: IssueFacts
      readonly comment: number
      readonly body: string
      readonly at?: string | undefined
    }
  | {
      readonly type: 'comment-edited'
      readonly issue: IssueFacts
      readonly comment: number
      readonly author: string
      readonly body: string
      readonly before: string
    }
  | { readonly type: 'pull-edited'; readonly pull: PullFacts; readonly before: string; readonly body: string }
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
  | { readonly type: 'pull-closed'; readonly pull: PullFacts; readonly merged: boolean }
  | { readonly type: 'pull-changed'; readonly pull: PullFacts }
  | { readonly type: 'pushed'; readonly branch: string; readonly paths: readonly string[] }
  | { readonly type: 'other' }

export type EventOf<T extends AppEvent['type']> = Extract<AppEvent, { type: T }>

export interface PullFacts {
  readonly number: number
  readonly headRef: string
  readonly headSha: string
  /** The head is a branch of the same repository: only such a one can be ours. */
  readonly isOwn: boolean
}

const MACHINES_TELL: ReadonlySet<AppEvent['type']> = new Set([
  'run-completed',
  'job-completed',
  'pull-changed',
  'pushed',
  'other',
])

/** Whether somebody did something that they wait for the app to take in. */
export function isByPerson({ type }: AppEvent): boolean {
  return !MACHINES_TELL.has(type)
}
