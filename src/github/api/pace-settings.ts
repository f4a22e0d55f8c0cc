/** How fast one installation may send requests. */
export interface PaceSettings {
  /** Writes that may go at once after a quiet period. */
  readonly burst: number
  readonly writesPerMinute: number
  readonly writesPerHour: number
  /** Concurrent requests. */
  readonly concurrent: number
  /** The longest wait that GitHub may impose before a request is given up. */
  readonly maxWaitMs: number
}

/** Below GitHub's limits of 80 writes a minute and 500 an hour, which people's own actions share. */
export const GITHUB_PACE: PaceSettings = {
  burst: 10,
  writesPerMinute: 60,
  writesPerHour: 450,
  concurrent: 20,
  maxWaitMs: 15 * 60_000,
}

const UNBOUNDED = 1_000_000_000

/** For the sandbox: nothing waits unless GitHub says so. */
export const NO_PACE: PaceSettings = {
  burst: UNBOUNDED,
  writesPerMinute: UNBOUNDED,
  writesPerHour: UNBOUNDED,
  concurrent: 50,
  maxWaitMs: 15 * 60_000,
}

/**
 * How state commits are spread. A campaign's events are gathered for `gatherMs` after the first one, then processed in
 * one step. The store delays pushes beyond `pushesPerMinute`.
 */
export interface StatePace {
  readonly gatherMs: { readonly least: number; readonly most: number }
  readonly pushesPerMinute: number
}

/** GitHub advises at most 6 pushes a minute to one repository. */
export const GITHUB_STATE_PACE: StatePace = {
  gatherMs: { least: 30_000, most: 45_000 },
  pushesPerMinute: 6,
}

/** Every event is its own step. */
export const NO_STATE_PACE: StatePace = {
  gatherMs: { least: 0, most: 0 },
  pushesPerMinute: UNBOUNDED,
}
