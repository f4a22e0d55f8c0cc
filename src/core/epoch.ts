import { addUsage, NO_USAGE, type Usage } from './budget.ts'
import type { Campaign, CampaignState, EngineConfig, Job, LedgerEntry, ParentRef } from './campaign.ts'
import { archiveRules, createArchive } from './cell-archive.ts'
import { planConfirmation } from './confirm.ts'
import type { Control } from './control.ts'
import { compareValues } from './objective.ts'
import { createBaselineJob } from './start.ts'

/** A config that is to be used from now on, and the digest of what measures by it. */
export interface Reconfiguration {
  readonly config: EngineConfig
  readonly evaluator: string
  readonly reserved: Usage
}

/**
 * Takes over a config. When something else measures by it, a new epoch begins: the root is measured again, then the
 * elites, and only figures of the same epoch are ever compared. Old ones stay in the ledger.
 */
export function reconfigure(state: CampaignState, change: Reconfiguration): CampaignState {
  const { config, evaluator, reserved } = change
  const { campaign, ledger } = state
  if (evaluator === campaign.evaluator) return { ...state, config }
  if (ledger.count > 0) return beginEpoch(state, change)
  // Nothing was measured yet: this is still the first epoch.
  const jobs = [...state.jobs].map(([ordinal, { attempt }]) => {
    return [ordinal, createBaselineJob(campaign, { ordinal, attempt: attempt + 1 })] as const
  })
  const changed = { ...campaign, evaluator, reserved, status: statusAfter(campaign) }
  return { ...state, config, jobs: new Map(jobs), campaign: changed }
}

function beginEpoch(state: CampaignState, { config, evaluator, reserved }: Reconfiguration): CampaignState {
  const { campaign, jobs, ledger } = supersedeOpen(state)
  const { status, nextOrdinal: ordinal, search } = campaign
  return {
    ...state,
    config,
    archive: createArchive(state.archive.shape, archiveRules(config)),
    jobs: new Map([...jobs, [ordinal, createBaselineJob(campaign, { ordinal, attempt: 1 })]]),
    ledger,
    trees: new Map([...state.trees.keys()].map((part) => [part, new Map()])),
    campaign: {
      ...campaign,
      epoch: campaign.epoch + 1,
      evaluator,
      reserved,
      renewing: findElites(state),
      baseline: undefined,
      nextOrdinal: ordinal + 1,
      status: statusAfter(campaign),
      // One that had ended comes to its end again, with figures of this epoch.
      stopping: status.phase === 'finished' ? status.reason : campaign.stopping,
      search: { ...search, improvedAt: campaign.finished, sameFailure: { count: 0 } },
      control: withoutOldFigures(campaign.control),
    },
  }
}

/** Closes all open jobs: their lines say that what they were to be measured with is no more. */
export function supersedeOpen(state: CampaignState): CampaignState {
  const { campaign, ledger } = state
  const open = [...state.jobs.values()].sort((a, b) => a.ordinal - b.ordinal)
  const lines = open.map((job) => supersede(campaign, job))
  const { control } = campaign
  return {
    ...state,
    jobs: new Map(),
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
function findElites({ archive, campaign, config, jobs }: CampaignState): ParentRef[] {
  const elites = archive.members().map(({ elite }) => elite)
  const ranked = elites.sort((a, b) => compareValues(b.value, a.value, config.objectives))
  const underWay = [...jobs.values()].filter(({ purpose }) => purpose === 'epoch')
  const all = [...ranked, ...underWay.map(({ parent }) => parent), ...campaign.renewing]
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
  const { renewing, control } = state.campaign
  let planned: CampaignState = { ...state, campaign: { ...state.campaign, renewing: [] } }
  for (const elite of renewing) planned = planConfirmation(planned, elite, { purpose: 'epoch' }) ?? planned
  const awaited = control.pulls.filter(({ status }) => status === 'confirming')
  for (const { candidate } of awaited) planned = planConfirmation(planned, candidate) ?? planned
  return planned
}
