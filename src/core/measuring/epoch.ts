import { archiveRules, createArchive } from '../archive/cell-archive.ts'
import { addUsage, measuringMsOf, NO_USAGE, type Reserve, withoutPairs, withPairs } from '../budget/budget.ts'
import type { Campaign, CampaignState } from '../campaign/campaign.ts'
import type { Control } from '../campaign/control.ts'
import type { Reconfiguration } from '../campaign/events.ts'
import type { Job, ParentRef } from '../campaign/job.ts'
import type { LedgerEntry } from '../campaign/ledger.ts'
import { createBaselineJob } from '../campaign/start.ts'
import type { Space } from '../space/embedding.ts'
import { UNFITTED } from '../space/projection.ts'
import { planConfirmation } from './confirm.ts'
import { epochOf } from './figures.ts'
import type { Value } from './objective.ts'
import { compareValues, readValue } from './objective.ts'
import { isRenewing } from './renewing.ts'

/**
 * Applies a config. If its evaluator or embedder differs, a new epoch begins: the root is measured again, then the
 * elites. Only figures of the same epoch are compared. Old figures stay in the ledger.
 */
export function reconfigure(state: CampaignState, change: Reconfiguration): CampaignState {
  const { config, evaluator, embedder, reserved } = change
  const { campaign, ledger } = state
  if (evaluator === campaign.evaluator && !isOtherSpace(campaign, change))
    return { ...state, config, campaign: { ...campaign, reserved: mostOf(campaign.reserved, reserved) } }
  if (ledger.count > 0) return beginEpoch(state, change)
  // Nothing was measured yet, so this is still the first epoch.
  const jobs = [...state.jobs].map(([ordinal, { attempt }]) => {
    return [ordinal, createBaselineJob(campaign, { ordinal, attempt: attempt + 1 })] as const
  })
  const changed = { ...campaign, evaluator, embedder, reserved, status: statusAfter(campaign) }
  return { ...state, config, jobs: new Map(jobs), campaign: changed }
}

// Jobs in flight may still cost their former maximum, and the share for the root's noise stays.
function mostOf(before: Reserve, b: Reserve): Reserve {
  const a = withoutPairs(before)
  const most = {
    tokens: Math.max(a.tokens, b.tokens),
    dollars: Math.max(a.dollars, b.dollars),
    runnerMs: Math.max(a.runnerMs, b.runnerMs),
    measuringMs: Math.max(measuringMsOf(a), measuringMsOf(b)),
  }
  return before.pairs === undefined ? most : withPairs(most, before.pairs)
}

// States of older versions record no embedder. It counts as unchanged.
function isOtherSpace({ embedder }: Campaign, change: Reconfiguration): boolean {
  return embedder !== undefined && embedder !== change.embedder
}

/** Starts an epoch with interleaved measurements, because the evaluator turned out to be noisy. */
export function beginNoisyEpoch(state: CampaignState): CampaignState {
  const { config, campaign } = state
  const { evaluator, embedder, reserved } = campaign
  const begun = beginEpoch(state, { config, evaluator, embedder, reserved })
  return { ...begun, campaign: { ...begun.campaign, varies: true } }
}

function beginEpoch(state: CampaignState, change: Reconfiguration): CampaignState {
  const { config, evaluator, embedder, reserved } = change
  const { campaign, jobs, ledger } = supersedeOpen(state)
  const { status, nextOrdinal: ordinal, search } = campaign
  const space = spaceAfter(state, change)
  return {
    ...state,
    config,
    archive: createArchive(state.archive.shape, archiveRules(config)),
    jobs: new Map([...jobs, [ordinal, createBaselineJob(campaign, { ordinal, attempt: 1 })]]),
    ledger,
    ...(space !== campaign.space && { projection: UNFITTED }),
    trees: new Map([...state.trees.keys()].map((part) => [part, new Map()])),
    campaign: {
      ...campaign,
      epoch: campaign.epoch + 1,
      evaluator,
      embedder,
      space,
      reserved: withoutPairs(reserved),
      renewing: findElites(state),
      unplaced: undefined,
      baseline: undefined,
      varies: undefined,
      nextOrdinal: ordinal + 1,
      status: statusAfter(campaign),
      // A finished campaign finishes again with figures of this epoch.
      stopping: status.phase === 'finished' ? status.reason : campaign.stopping,
      search: {
        ...search,
        improvedAt: campaign.finished,
        sameFailure: { count: 0 },
        breeding: undefined,
        arm: undefined,
      },
      control: withoutOldFigures(campaign.control),
    },
  }
}

/**
 * Tracks the runner label of results. Another label begins an epoch, because figures from different machines are not
 * comparable. The image behind a label changes weekly and is only recorded.
 */
export function followRunner(state: CampaignState, { kind, result }: Job): CampaignState {
  const label = result?.status === 'measured' ? result.runner?.label : undefined
  const { campaign, config } = state
  if (label === undefined || label === campaign.runnerLabel) return state
  const { evaluator, embedder, reserved, runnerLabel } = campaign
  const moved = { ...state, campaign: { ...campaign, runnerLabel: label } }
  // The root's measurement sets the label of the epoch.
  const isFirst = runnerLabel === undefined || kind === 'baseline'
  return isFirst ? moved : beginEpoch(moved, { config, evaluator, embedder, reserved })
}

// Also when elites were still being embedded again: a space starts with all of them or not at all.
function spaceAfter(state: CampaignState, change: Reconfiguration): Space | undefined {
  const { campaign } = state
  const isBroken = campaign.space !== undefined && isRenewing(state)
  return isOtherSpace(campaign, change) || isBroken
    ? { since: campaign.epoch + 1, finished: campaign.finished, described: 0 }
    : campaign.space
}

/** Closes open jobs with the verdict `superseded`. */
export function supersedeOpen(
  state: CampaignState,
  isAffected: (job: Job) => boolean = () => true,
): CampaignState {
  const { campaign, ledger } = state
  const open = [...state.jobs.values()].filter(isAffected).sort((a, b) => a.ordinal - b.ordinal)
  const lines = open.map((job) => supersede(campaign, job))
  const { control } = campaign
  return {
    ...state,
    jobs: new Map([...state.jobs].filter(([, job]) => !isAffected(job))),
    ledger: { count: ledger.count + lines.length, tail: [...ledger.tail, ...lines] },
    campaign: {
      ...campaign,
      used: lines.reduce((sum, { usage }) => addUsage(sum, usage), campaign.used),
      control: { ...control, confirmed: control.confirmed + lines.length },
    },
  }
}

function supersede({ epoch }: Campaign, { ordinal, attempt, kind, operator, ...job }: Job): LedgerEntry {
  return {
    ordinal,
    attempt,
    kind,
    ...(epoch > 1 && { epoch }),
    operator,
    lens: job.lens,
    parent: job.parent.ordinal,
    inspirations: job.inspirations.map((inspiration) => inspiration.ordinal),
    verdict: { status: 'refused', reason: 'superseded' },
    usage: job.result?.usage ?? NO_USAGE,
  }
}

// A pause caused by the evaluator ends when the evaluator changes. Other pauses stay.
function statusAfter({ status }: Campaign): Campaign['status'] {
  const isOther =
    status.phase === 'paused' && status.reason !== 'baseline-invalid' && status.reason !== 'too-noisy'
  return isOther ? status : { phase: 'baseline' }
}

// Best first, in case the budget does not reach all of them.
function findElites({ archive, campaign, config }: CampaignState): ParentRef[] {
  const elites = archive.members().map(({ elite }) => elite)
  const ranked = elites.sort((a, b) => compareValues(b.value, a.value, config.objectives))
  const all = [...ranked, ...(campaign.unplaced ?? []), ...campaign.renewing]
  const byOrdinal = new Map(
    all.map(({ ordinal, commit, tree }) => [ordinal, { ordinal, commit, tree }] as const),
  )
  byOrdinal.delete(0)
  return [...byOrdinal.values()]
}

function withoutOldFigures(control: Control): Control {
  const pulls = control.pulls.flatMap((pull) => {
    if (pull.status !== 'confirming' && pull.status !== 'confirmed') return [pull]
    // Keep what a person asked for. The campaign will find its own proposals again.
    return pull.askedBy === undefined
      ? []
      : [{ ...pull, status: 'confirming' as const, confirmation: undefined }]
  })
  return { ...control, pulls, bests: [], finals: [], rebuildDue: undefined }
}

/** Plans to measure the elites of the previous epoch again, now that the root is measured. */
export function planRenewals(state: CampaignState): CampaignState {
  const { renewing, control, space } = state.campaign
  const cause = { purpose: 'epoch', ...(space && { describes: true as const }) } as const
  const unplaced = renewing.length > 0 ? renewing : undefined
  let planned: CampaignState = { ...state, campaign: { ...state.campaign, renewing: [], unplaced } }
  for (const elite of renewing) planned = planConfirmation(planned, elite, cause) ?? planned
  const awaited = control.pulls.filter(({ status }) => status === 'confirming')
  for (const { candidate } of awaited) planned = planConfirmation(planned, candidate) ?? planned
  return planned
}

/**
 * Whether a line proves that an evaluator is noisy: the same files gave another value. A few equal runs of the root may
 * have been chance, or the numbers too coarse to differ.
 */
export function showsNoise(state: CampaignState, entry: LedgerEntry): boolean {
  const { campaign, config } = state
  const { status } = entry.verdict
  if (campaign.baseline?.deterministic !== true || (status !== 'confirmed' && status !== 'overfitted'))
    return false
  const first = findFirst(state, entry.parent)
  const again = readValue(entry.metrics ?? {}, config.objectives)
  if (first === undefined || again.status === 'refused') return false
  return compareValues(first, again.value, config.objectives) !== 0
}

// Its first value in this epoch, from the archive or from a ledger line in memory.
function findFirst({ archive, campaign, config, ledger }: CampaignState, ordinal: number): Value | undefined {
  const elite = archive.members().find((member) => member.elite.ordinal === ordinal)?.elite
  if (elite !== undefined) return elite.value
  const line = ledger.tail.find(
    (entry) => entry.ordinal === ordinal && epochOf(entry) === campaign.epoch && entry.kind === 'candidate',
  )
  const read = readValue(line?.metrics ?? {}, config.objectives)
  return read.status === 'valid' ? read.value : undefined
}
