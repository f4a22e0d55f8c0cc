/** How fast one installation may ask GitHub. */
export interface PaceSettings {
  /** Writes that may go at once after a quiet time. */
  readonly burst: number
  readonly writesPerMinute: number
  readonly writesPerHour: number
  /** Requests under way at the same time. */
  readonly concurrent: number
  /** The longest wait that GitHub may ask of one request before it is given up. */
  readonly maxWaitMs: number
}

/** Below GitHub's 80 writes a minute and 500 an hour, of which people's own clicks take their part. */
export const GITHUB_PACE: PaceSettings = {
  burst: 10,
  writesPerMinute: 60,
  writesPerHour: 450,
  concurrent: 20,
  maxWaitMs: 15 * 60_000,
}

const UNBOUNDED = 1_000_000_000

/** For a GitHub on this machine: nothing waits unless it is told to. */
export const NO_PACE: PaceSettings = {
  burst: UNBOUNDED,
  writesPerMinute: UNBOUNDED,
  writesPerHour: UNBOUNDED,
  concurrent: 50,
  maxWaitMs: 15 * 60_000,
}

/**
 * How state commits are spread. The host's queue gathers a campaign's events for `gatherMs` after the first of
 * them and then takes one step with all: a commit must come before its effects, so that nothing after the tick
 * could be gathered. The store holds back pushes beyond `pushesPerMinute`, whoever asks for them.
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

/** Every event is a step of its own. */
export const NO_STATE_PACE: StatePace = {
  gatherMs: { least: 0, most: 0 },
  pushesPerMinute: UNBOUNDED,
}
