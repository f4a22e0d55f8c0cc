import type { PauseReason } from '../../core/campaign/status.ts'
import type { FailureReason } from '../../core/measuring/verdict.ts'

/** What a maintainer can do about a pause. */
export const PAUSE_REMEDIES: Readonly<Record<PauseReason, string>> = {
  command: 'Continue with `/loreley resume`.',
  'same-failure':
    'Check the runs of the last candidates, fix the cause, then comment `/loreley resume`. To continue regardless, raise `limits.same_failure`.',
  'baseline-invalid':
    'Run the evaluation by hand in a fresh clone of the root. Once it works there, comment `/loreley resume` to try again.',
  'too-noisy':
    'Make the evaluation steadier (longer runs, fixed inputs, a quiet machine), raise `evaluation.sampling.max_pairs`, or raise `evaluation.sampling.smallest_gain` to look for larger gains only. To continue regardless, comment `/loreley resume`.',
  checkpoint:
    'Review the leaderboard, then continue with `/loreley resume` or end the campaign with `/loreley stop`.',
  issue: 'It continues when a writer undoes that or comments `/loreley resume`.',
  'workflows-diverged':
    'The workflow files on the default branch have changed since the campaign’s root. GitHub does not let an App without the permission `workflows: write` push the old ones, so results are kept in the state without refs. Restore the old files or grant the permission, and the campaign continues by itself. Or start a new campaign from the current default branch by labelling another issue. `/loreley resume` tries again.',
  preflight: 'Fix the problem above, then comment `/loreley resume`.',
}

/** The usual cause of a failure. */
export const FAILURE_REMEDIES: Partial<Record<FailureReason, string>> = {
  infrastructure:
    'The infrastructure failed, not the candidates. Check that the workflow can run: Actions are enabled, minutes are left, and the runner exists.',
  'agent-failed': 'Check the key in the environment `loreley` and your limits at the model provider.',
  'guard-blocked': 'Agents keep editing files out of scope. Check `scope` in `.loreley.yml`.',
  'gate-failed': 'Candidates keep failing a gate. Run the gates on the root by hand.',
  'evaluation-timed-out': 'Raise `evaluation.timeout_seconds` if the root itself comes close to it.',
  'disk-limit':
    'Candidates keep writing more than `evaluation.max_disk_mb` allows. Raise it if the root itself comes close to it and your runners have enough disk.',
}
