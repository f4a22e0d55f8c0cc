/** What a preflight looks at. */
export type PreflightTopic =
  | 'repository'
  | 'branch-names'
  | 'rules'
  | 'elite-refs'
  | 'workflow'
  | 'environment'
  | 'workflows-diverged'

/** One thing that was looked at: how it is, in words, and what a maintainer can do about it. */
export interface Finding {
  readonly topic: PreflightTopic
  /** `blocked`: a campaign cannot go on. `warning`: it can, with less. `ok`: nothing to say. */
  readonly state: 'ok' | 'warning' | 'blocked'
  readonly message: string
  readonly remedy: string
}

/** A finding that says nothing is in the way. */
export function fine(topic: PreflightTopic, message: string): Finding {
  return { topic, state: 'ok', message, remedy: '' }
}
