import type { CampaignState } from './campaign.ts'
import type { Control, Pull } from './control.ts'
import type { Job } from './job.ts'

const PULLS_KEPT = 100
const DECLINED_KEPT = 1000

/** Returns the state with some control fields changed. */
export function withControl(state: CampaignState, changes: Partial<Control>): CampaignState {
  const control = { ...state.campaign.control, ...changes }
  return { ...state, campaign: { ...state.campaign, control } }
}

/** The pull request of a candidate, whatever its status. */
export function findPull({ campaign }: CampaignState, ordinal: number): Pull | undefined {
  return campaign.control.pulls.find(({ candidate }) => candidate.ordinal === ordinal)
}

/** Adds a pull request, or replaces the candidate's earlier one. */
export function withPull(state: CampaignState, pull: Pull): CampaignState {
  const others = state.campaign.control.pulls.filter(
    ({ candidate }) => candidate.ordinal !== pull.candidate.ordinal,
  )
  const pulls = [...others, pull].sort((a, b) => a.candidate.ordinal - b.candidate.ordinal)
  return withControl(state, { pulls: forgetSettled(pulls) })
}

// Open ones are never dropped, because limits count them.
function forgetSettled(pulls: readonly Pull[]): readonly Pull[] {
  const settled = pulls.filter(
    ({ status }) => status === 'merged' || status === 'closed' || status === 'refused',
  )
  const excess = new Set(settled.slice(0, Math.max(0, pulls.length - PULLS_KEPT)))
  return pulls.filter((pull) => !excess.has(pull))
}

/** Records that people declined a candidate. */
export function withDeclined(state: CampaignState, ordinal: number): CampaignState {
  const { declined } = state.campaign.control
  if (declined.includes(ordinal)) return state
  const rebuildDue = isHeldBy(state, ordinal) || state.campaign.control.rebuildDue
  return withControl(state, { declined: [...declined, ordinal].slice(-DECLINED_KEPT), rebuildDue })
}

/** Undoes a decline. The candidate competes for its cell again. */
export function withoutDeclined(state: CampaignState, ordinal: number): CampaignState {
  const { declined } = state.campaign.control
  if (!declined.includes(ordinal)) return state
  return withControl(state, { declined: declined.filter((each) => each !== ordinal), rebuildDue: true })
}

function isHeldBy({ archive }: CampaignState, ordinal: number): boolean {
  return archive.members().some(({ elite }) => elite.ordinal === ordinal)
}

/** Counts open confirmations and later baselines. They are in flight, but not part of the candidate budget. */
export function countConfirming(jobs: ReadonlyMap<number, Job>): number {
  return [...jobs.values()].filter(({ kind, ordinal }) => kind !== 'candidate' && ordinal !== 0).length
}
