/** Switches of a box. All may be changed while it runs. */
export interface Settings {
  /** Requests an actor may make in an hour. */
  primaryPerHour: number
  /** GitHub's secondary limits; undefined switches them off. */
  secondary: SecondaryLimits | undefined
  /** Refuses refs that bring changed workflow files to an App without the permission `workflows`. */
  guardWorkflows: boolean
  /** Folders that stand for actions: by `owner/repo@ref`, or by `owner/repo` for every ref. They win over all else. */
  actionFolders: Readonly<Record<string, string>>
  /** How large an artifact or a cache entry may be, packed. */
  maxArtifactBytes: number
  faults: Faults
}

export interface SecondaryLimits {
  readonly pointsPerMinute: number
  readonly contentPerMinute: number
  readonly contentPerHour: number
  readonly concurrent: number
}

/** GitHub's documented numbers. */
export const DOCUMENTED_SECONDARY_LIMITS: SecondaryLimits = {
  pointsPerMinute: 900,
  contentPerMinute: 80,
  contentPerHour: 500,
  concurrent: 100,
}

/** Things that go wrong, each with a chance from 0 to 1. Chance is seeded: same requests, same faults. */
export interface Faults {
  readonly seed: number
  readonly latencyMs: { readonly least: number; readonly most: number }
  /** 502 without an effect. */
  readonly failBefore: number
  /** 502 although the work was done. */
  readonly failAfter: number
  /** 403 with `retry-after`, as a secondary limit gives. */
  readonly squeeze: number
  /** The same without `retry-after`: only its words tell it from a refusal. */
  readonly squeezeVaguely: number
  /** A read within `staleForMs` of a write gives what it gave before the write. */
  readonly staleRead: number
  readonly staleForMs: number
  readonly webhookLost: number
  readonly webhookDoubled: number
  readonly webhookDelayed: number
  readonly webhookDelayMs: number
  /** A webhook waits for the next one to overtake it. */
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
