import type { CampaignState } from './campaign.ts'
import type { Control, Pull } from './control.ts'
import type { Job } from './job.ts'

const PULLS_KEPT = 100
const DECLINED_KEPT = 1000

/** The state with some of the control's fields set. */
export function withControl(state: CampaignState, changes: Partial<Control>): CampaignState {
  const control = { ...state.campaign.control, ...changes }
  return { ...state, campaign: { ...state.campaign, control } }
}

/** The pull request of a candidate, whatever became of it. */
export function findPull({ campaign }: CampaignState, ordinal: number): Pull | undefined {
  return campaign.control.pulls.find(({ candidate }) => candidate.ordinal === ordinal)
}

/** Puts a pull request in, or in the place of the candidate's former one. */
export function withPull(state: CampaignState, pull: Pull): CampaignState {
  const others = state.campaign.control.pulls.filter(
    ({ candidate }) => candidate.ordinal !== pull.candidate.ordinal,
  )
  const pulls = [...others, pull].sort((a, b) => a.candidate.ordinal - b.candidate.ordinal)
  return withControl(state, { pulls: forgetSettled(pulls) })
}

// Those that are still open are never forgotten: limits count them.
function forgetSettled(pulls: readonly Pull[]): readonly Pull[] {
  const settled = pulls.filter(
    ({ status }) => status === 'merged' || status === 'closed' || status === 'refused',
  )
  const excess = new Set(settled.slice(0, Math.max(0, pulls.length - PULLS_KEPT)))
  return pulls.filter((pull) => !excess.has(pull))
}

/** Remembers that people do not want a candidate. */
export function withDeclined(state: CampaignState, ordinal: number): CampaignState {
  const { declined } = state.campaign.control
  if (declined.includes(ordinal)) return state
  const rebuildDue = isHeldBy(state, ordinal) || state.campaign.control.rebuildDue
  return withControl(state, { declined: [...declined, ordinal].slice(-DECLINED_KEPT), rebuildDue })
}

/** Takes it back: the candidate asks for its place again. */
export function withoutDeclined(state: CampaignState, ordinal: number): CampaignState {
  const { declined } = state.campaign.control
  if (!declined.includes(ordinal)) return state
  return withControl(state, { declined: declined.filter((each) => each !== ordinal), rebuildDue: true })
}

function isHeldBy({ archive }: CampaignState, ordinal: number): boolean {
  return archive.members().some(({ elite }) => elite.ordinal === ordinal)
}

/** Open confirmations and later baselines: like candidates in flight, but none of the budget of candidates. */
export function countConfirming(jobs: ReadonlyMap<number, Job>): number {
  return [...jobs.values()].filter(({ kind, ordinal }) => kind !== 'candidate' && ordinal !== 0).length
}
