import type { BudgetStop } from '../budget/budget.ts'

/** Why a campaign ends. */
export type StopReason = BudgetStop | 'target-reached' | 'plateau' | 'stopped' | 'dry-run'

/** Why a campaign waits. */
export const PAUSE_REASONS = [
  'command',
  'same-failure',
  'baseline-invalid',
  /** The root's numbers vary so much that no gain of a sensible size could be told from chance. */
  'too-noisy',
  'checkpoint',
  /** The label was taken off, or the issue closed, locked, moved or deleted. */
  'issue',
  /** GitHub refuses what the campaign needs; the detail says what and how to mend it. */
  'preflight',
  /** GitHub refuses refs to commits whose workflow files the default branch does not have any more. */
  'workflows-diverged',
] as const
export type PauseReason = (typeof PAUSE_REASONS)[number]

/** Where a campaign is in its life. */
export type CampaignStatus =
  | { readonly phase: 'baseline' | 'warm-up' | 'searching' }
  | { readonly phase: 'paused'; readonly reason: PauseReason; readonly detail: string }
  | { readonly phase: 'finished'; readonly reason: StopReason }
