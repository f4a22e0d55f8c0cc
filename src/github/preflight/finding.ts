/** What a preflight checks. */
export type PreflightTopic =
  | 'repository'
  | 'branch-names'
  | 'rules'
  | 'elite-refs'
  | 'workflow'
  | 'environment'
  | 'workflows-diverged'

/** The result of one check, and what a maintainer can do about it. */
export interface Finding {
  readonly topic: PreflightTopic
  /** `blocked`: a campaign cannot run. `warning`: it can, with restrictions. `ok`: nothing to report. */
  readonly state: 'ok' | 'warning' | 'blocked'
  readonly message: string
  readonly remedy: string
}

/** A finding without a problem. */
export function fine(topic: PreflightTopic, message: string): Finding {
  return { topic, state: 'ok', message, remedy: '' }
}
