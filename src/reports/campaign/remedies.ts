import type { PauseReason } from '../../core/campaign/status.ts'
import type { FailureReason } from '../../core/measuring/verdict.ts'

/** What a maintainer can do about a pause. */
export const PAUSE_REMEDIES: Readonly<Record<PauseReason, string>> = {
  command: 'Go on with `/loreley resume`.',
  'same-failure':
    'Look at the runs of the last candidates, mend the cause, then `/loreley resume`. To go on regardless, raise `limits.same_failure`.',
  'baseline-invalid':
    'Run the evaluation by hand in a fresh clone of the root. When it works there, `/loreley resume` tries again.',
  'too-noisy':
    'Make the evaluation steadier (longer runs, fixed inputs, a quiet machine), raise `evaluation.sampling.max_pairs`, or accept larger gains only (`evaluation.sampling.smallest_gain`). To go on regardless: `/loreley resume`.',
  checkpoint: 'Look at the leaderboard, then go on with `/loreley resume`, or end it with `/loreley stop`.',
  issue: 'It goes on by itself when a writer takes that back, or says `/loreley resume`.',
  'workflows-diverged':
    'The workflow files of the default branch have changed since the campaign’s root. GitHub does not let an App bring the old ones back that may not write workflows: results are kept in the state, without refs. Put the old files back, or give the App the permission `workflows: write`: it then goes on by itself. Or begin a new campaign from the present default branch, by labelling another issue. `/loreley resume` tries again.',
  preflight: 'Mend what the reason names, then `/loreley resume`.',
}

/** What usually lies behind a failure. */
export const FAILURE_REMEDIES: Partial<Record<FailureReason, string>> = {
  infrastructure:
    'The machinery failed, not the candidates: see whether the workflow runs at all (Actions switched off, no minutes left, a runner that is gone).',
  'agent-failed': 'Check the key in the environment `loreley` and the limits at your model provider.',
  'guard-blocked': 'Agents keep leaving the scope: see `scope` in `.loreley.yml`.',
  'gate-failed': 'Candidates keep failing a gate: run the gates on the root by hand.',
  'evaluation-timed-out': 'Raise `evaluation.timeout_seconds` if the root itself is near it.',
  'disk-limit':
    'Candidates keep writing more than `evaluation.max_disk_mb` allows: raise it if the root itself is near it and your runners have the room.',
}
