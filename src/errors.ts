/** Every deliberate failure of Loreley. The list is closed; docs/reference/errors.md documents each. */
export const ERROR_CODES = [
  'agent-unavailable',
  'campaign-busy',
  'campaign-changed',
  'campaign-unknown',
  'candidate-unknown',
  'config-invalid',
  'config-missing',
  'demo-failed',
  'embedder-failed',
  'evaluator-baseline-invalid',
  'evaluator-setup-failed',
  'evaluator-too-noisy',
  'git-failed',
  'git-missing',
  'github-refused',
  'github-unavailable',
  'inputs-invalid',
  'internal',
  'isolation-unavailable',
  'not-a-repository',
  'repository-empty',
  'state-conflict',
  'state-corrupt',
  'state-newer',
  'state-refused',
  'step-failed',
  'usage',
  'workflow-invalid',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** A fault that stops the work. `hint` says how to fix it. */
export class LoreleyError extends Error {
  readonly code: ErrorCode
  readonly hint: string

  constructor(code: ErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'LoreleyError'
    this.code = code
    this.hint = hint
  }
}
