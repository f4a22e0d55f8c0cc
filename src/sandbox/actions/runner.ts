import type { Run } from './documents.ts'

/**
 * Executes runs. The sandbox calls it, and it reports back with `queueJob`, `startJob`, `updateSteps`,
 * `appendLog`, `completeJob`, `completeRun` and `addArtifact`. Without a runner, runs stay queued.
 */
export interface Runner {
  /** The evaluated `run-name`. Undefined keeps GitHub's default title. */
  title(run: Run): Promise<string | undefined>
  /** Called when a run, or another attempt of it, is queued. */
  start(run: Run): void
  /**
   * Ends a run: completes its jobs as cancelled, then the run. With `force` this happens at once, and steps
   * with `always()` end too.
   */
  cancel(run: Run, force: boolean): void
  /** Called when the sandbox stops. Resolves once nothing of it uses the sandbox. */
  close(): Promise<void>
}
