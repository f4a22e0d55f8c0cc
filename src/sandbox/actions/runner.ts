import type { Run } from './documents.ts'

/**
 * Whoever executes runs. The box tells it what to do; it reports back by `queueJob`, `startJob`, `updateSteps`,
 * `appendLog`, `completeJob`, `completeRun` and `addArtifact`. Without a runner, runs stay queued.
 */
export interface Runner {
  /** The text of `run-name`, once evaluated; undefined leaves GitHub's own title. */
  title(run: Run): Promise<string | undefined>
  /** A run or a further attempt of it was queued. */
  start(run: Run): void
  /**
   * Somebody wants the run to end: its jobs are to be completed as cancelled, then the run. By force: at once,
   * also the steps that are wanted always.
   */
  cancel(run: Run, force: boolean): void
}
