/** Settings of a sandbox. All can be changed while it runs. */
export interface Settings {
  /** Requests an actor may make in an hour. */
  primaryPerHour: number
  /** GitHub's secondary limits. Undefined switches them off. */
  secondary: SecondaryLimits | undefined
  /** Refuses changed workflow files by an App without the `workflows` permission. */
  guardWorkflows: boolean
  /**
   * Local folders for actions: by `owner/repo@ref`, or by `owner/repo` for every ref. They override everything
   * else.
   */
  actionFolders: Readonly<Record<string, string>>
  /** The largest compressed artifact or cache entry. */
  maxArtifactBytes: number
  faults: Faults
}

export interface SecondaryLimits {
  readonly pointsPerMinute: number
  readonly contentPerMinute: number
  readonly contentPerHour: number
  readonly concurrent: number
}

/** The limits that GitHub documents. */
export const DOCUMENTED_SECONDARY_LIMITS: SecondaryLimits = {
  pointsPerMinute: 900,
  contentPerMinute: 80,
  contentPerHour: 500,
  concurrent: 100,
}

/** Faults, each with a probability from 0 to 1. The same seed and requests give the same faults. */
export interface Faults {
  readonly seed: number
  readonly latencyMs: { readonly least: number; readonly most: number }
  /** 502 before the effect. */
  readonly failBefore: number
  /** 502 after the effect. */
  readonly failAfter: number
  /** 403 with `retry-after`, like a secondary limit. */
  readonly squeeze: number
  /** The same without `retry-after`. Only the message distinguishes it from a refusal. */
  readonly squeezeVaguely: number
  /** A read within `staleForMs` of a write returns the answer from before the write. */
  readonly staleRead: number
  readonly staleForMs: number
  readonly webhookLost: number
  readonly webhookDoubled: number
  readonly webhookDelayed: number
  readonly webhookDelayMs: number
  /** The next webhook overtakes this one. */
  readonly webhookReordered: number
}

export const NO_FAULTS: Faults = {
  seed: 1,
  latencyMs: { least: 0, most: 0 },
  failBefore: 0,
  failAfter: 0,
  squeeze: 0,
  squeezeVaguely: 0,
  staleRead: 0,
  staleForMs: 2000,
  webhookLost: 0,
  webhookDoubled: 0,
  webhookDelayed: 0,
  webhookDelayMs: 500,
  webhookReordered: 0,
}

export function createSettings(given: Partial<Settings> = {}): Settings {
  return {
    primaryPerHour: 5000,
    secondary: undefined,
    guardWorkflows: true,
    actionFolders: {},
    maxArtifactBytes: 2 * 1024 ** 3,
    faults: NO_FAULTS,
    ...given,
  }
}
