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
 * Takes over a config. When something else measures or describes by it, a new epoch begins: the root is measured again,
 * then the elites, and only figures of the same epoch are ever compared. Old ones stay in the ledger.
 */
export function reconfigure(state: CampaignState, change: Reconfiguration): CampaignState {
  const { config, evaluator, embedder, reserved } = change
  const { campaign, ledger } = state
  if (evaluator === campaign.evaluator && !isOtherSpace(campaign, change))
    return { ...state, config, campaign: { ...campaign, reserved: mostOf(campaign.reserved, reserved) } }
  if (ledger.count > 0) return beginEpoch(state, change)
  // Nothing was measured yet: this is still the first epoch.
  const jobs = [...state.jobs].map(([ordinal, { attempt }]) => {
    return [ordinal, createBaselineJob(campaign, { ordinal, attempt: attempt + 1 })] as const
  })
  const changed = { ...campaign, evaluator, embedder, reserved, status: statusAfter(campaign) }
  return { ...state, config, jobs: new Map(jobs), campaign: changed }
}

// Those in flight may still cost what they were allowed before, and what the root's noise added stays.
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

// A state from before embedders were recorded has none: it is taken to be the same.
function isOtherSpace({ embedder }: Campaign, change: Reconfiguration): boolean {
  return embedder !== undefined && embedder !== change.embedder
}

/** Measures all once more, in turns with the root: the evaluator was taken for deterministic, and is not. */
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
      // One that had ended comes to its end again, with figures of this epoch.
      stopping: status.phase === 'finished' ? status.reason : campaign.stopping,
      search: { ...search, improvedAt: campaign.finished, sameFailure: { count: 0 } },
      control: withoutOldFigures(campaign.control),
    },
  }
}

/**
 * Follows where results are measured. Another label begins an epoch: what one machine measures says nothing of another.
 * The image below a label changes every week, and is only recorded.
 */
export function followRunner(state: CampaignState, { kind, result }: Job): CampaignState {
  const label = result?.status === 'measured' ? result.runner?.label : undefined
  const { campaign, config } = state
  if (label === undefined || label === campaign.runnerLabel) return state
  const { evaluator, embedder, reserved, runnerLabel } = campaign
  const moved = { ...state, campaign: { ...campaign, runnerLabel: label } }
  // The root's own measurement says where the epoch's figures come from.
  const isFirst = runnerLabel === undefined || kind === 'baseline'
  return isFirst ? moved : beginEpoch(moved, { config, evaluator, embedder, reserved })
}

// Also when elites were still being described anew: a space begins with all of them or not at all.
function spaceAfter(state: CampaignState, change: Reconfiguration): Space | undefined {
  const { campaign } = state
  const isBroken = campaign.space !== undefined && isRenewing(state)
  return isOtherSpace(campaign, change) || isBroken
    ? { since: campaign.epoch + 1, finished: campaign.finished, described: 0 }
    : campaign.space
}

/** Closes open jobs: their lines say that what they were planned for is no more. */
export function supersedeOpen(
  state: CampaignState,
  isMeant: (job: Job) => boolean = () => true,
): CampaignState {
  const { campaign, ledger } = state
  const open = [...state.jobs.values()].filter(isMeant).sort((a, b) => a.ordinal - b.ordinal)
  const lines = open.map((job) => supersede(campaign, job))
  const { control } = campaign
  return {
    ...state,
    jobs: new Map([...state.jobs].filter(([, job]) => !isMeant(job))),
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

// A pause for the evaluator's own sake ends with another evaluator; other pauses are somebody's wish.
function statusAfter({ status }: Campaign): Campaign['status'] {
  const isOther =
    status.phase === 'paused' && status.reason !== 'baseline-invalid' && status.reason !== 'too-noisy'
  return isOther ? status : { phase: 'baseline' }
}

// Those first that the budget should rather reach.
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
    // Somebody waits for it; what the campaign itself wanted to offer it will find again.
    return pull.askedBy === undefined
      ? []
      : [{ ...pull, status: 'confirming' as const, confirmation: undefined }]
  })
  return { ...control, pulls, bests: [], finals: [], rebuildDue: undefined }
}

/** Plans to measure the elites of the former epoch in this one, now that its root is measured. */
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
 * Whether a line shows that an evaluator is not deterministic after all: a few equal runs of the root may have been
 * chance, or numbers too coarse to differ, but the same files measured again gave another value.
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

// What it was measured with in this epoch: as an elite, or as a line that is still at hand.
function findFirst({ archive, campaign, config, ledger }: CampaignState, ordinal: number): Value | undefined {
  const elite = archive.members().find((member) => member.elite.ordinal === ordinal)?.elite
  if (elite !== undefined) return elite.value
  const line = ledger.tail.find(
    (entry) => entry.ordinal === ordinal && epochOf(entry) === campaign.epoch && entry.kind === 'candidate',
  )
  const read = readValue(line?.metrics ?? {}, config.objectives)
  return read.status === 'valid' ? read.value : undefined
}
