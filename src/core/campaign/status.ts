import type { BudgetStop } from '../budget/budget.ts'

/** Why a campaign ends. */
export type StopReason = BudgetStop | 'target-reached' | 'plateau' | 'stopped' | 'dry-run'

/** Why a campaign is paused. */
export const PAUSE_REASONS = [
  'command',
  'same-failure',
  'baseline-invalid',
  /** The root is so noisy that no reasonable gain could be distinguished from chance. */
  'too-noisy',
  'checkpoint',
  /** The label was removed, or the issue was closed, locked, moved or deleted. */
  'issue',
  /** GitHub refuses something the campaign needs. The detail says what, and how to fix it. */
  'preflight',
  /** GitHub refuses refs to commits whose workflow files differ from the default branch. */
  'workflows-diverged',
] as const
export type PauseReason = (typeof PAUSE_REASONS)[number]

/** The phase of a campaign. */
export type CampaignStatus =
  | { readonly phase: 'baseline' | 'warm-up' | 'searching' }
  | { readonly phase: 'paused'; readonly reason: PauseReason; readonly detail: string }
  | { readonly phase: 'finished'; readonly reason: StopReason }
