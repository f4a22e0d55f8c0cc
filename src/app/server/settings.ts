import { GITHUB_STATE_PACE, NO_STATE_PACE } from '../../github/api/pace-settings.ts'
import type { AppSettings } from '../ports.ts'

/** For github.com: state commits are gathered, and dashboards change at most every three minutes. */
export const PRODUCTION_SETTINGS: AppSettings = {
  statePace: GITHUB_STATE_PACE,
  reportMs: 180_000,
  reconcileMs: 5 * 60_000,
  fullReconcileMs: 30 * 60_000,
  searchMs: 60_000,
  startMs: 30_000,
}

/** For the sandbox: short waits. */
export const BOX_SETTINGS: AppSettings = {
  statePace: NO_STATE_PACE,
  reportMs: 2000,
  reconcileMs: 10_000,
  fullReconcileMs: 0,
  searchMs: 5000,
  startMs: 15_000,
}
