import { addUsage } from '../budget/budget.ts'
import { planConfirmation } from '../measuring/confirm.ts'
import type { CampaignState } from './campaign.ts'
import type { Pull, SteeringEvent, UnpublishedRef } from './control.ts'
import type { ParentRef } from './job.ts'
import { findPull, withControl, withDeclined, withoutDeclined, withPull } from './pulls.ts'

/** Applies one steering event that does not start or stop the campaign. */
export function steer(
  state: CampaignState,
  event: Exclude<SteeringEvent, { type: 'timer' | 'limits' | 'budget' | 'hold' | 'plan-again' }>,
): CampaignState {
  switch (event.type) {
    case 'dispatched':
      return withRun(state, event)
    case 'withdrawn':
      return withoutRun(state, event)
    case 'direction':
      return redirect(state, event)
    case 'promote':
      return promote(state, event.candidate, event.by)
    case 'discard':
      return discard(state, event.ordinal)
    case 'measure-again':
      return planConfirmation(state, event.candidate) ?? state
    case 'pull':
      return followPull(state, event)
    case 'ci-released': {
      const pull = findPull(state, event.ordinal)
      return pull === undefined ? state : withPull(state, { ...pull, ciReleased: true })
    }
    case 'unpublished':
      return withControl(state, { unpublished: event.refs.length === 0 ? undefined : boundRefs(event.refs) })
    case 'adopted': {
      const { direction, nonce } = event
      const adopted = withControl(state, { direction })
      return { ...adopted, campaign: { ...adopted.campaign, order: 'arrival', nonce } }
    }
    case 'pressed': {
      const { pressed = [] } = state.campaign.control
      return withControl(state, { pressed: [...pressed, event.delivery].slice(-PRESSES_KEPT) })
    }
    case 'duplicate':
      return bookDuplicate(state, event)
    case 'checked':
      return withControl(state, {
        unchecked: state.campaign.control.unchecked.filter((ordinal) => ordinal !== event.ordinal),
      })
  }
}

const UNPUBLISHED_KEPT = 1000

// Keep refs come first: nothing else holds their commits. The others follow from the archive.
function boundRefs(refs: readonly UnpublishedRef[]): readonly UnpublishedRef[] {
  const isKept = ({ ref }: UnpublishedRef): boolean => ref.startsWith('refs/loreley/keep/')
  return [...refs.filter(isKept), ...refs.filter((each) => !isKept(each))].slice(0, UNPUBLISHED_KEPT)
}

function withRun(state: CampaignState, event: SteeringEvent & { type: 'dispatched' }): CampaignState {
  const job = state.jobs.get(event.ordinal)
  if (job === undefined || job.attempt !== event.attempt || job.run !== undefined) return state
  return { ...state, jobs: new Map(state.jobs).set(job.ordinal, { ...job, run: event.run }) }
}

// The next attempt has its own name, so the cancelled run is not mistaken for it.
function withoutRun(state: CampaignState, event: SteeringEvent & { type: 'withdrawn' }): CampaignState {
  const { campaign, jobs } = state
  const job = jobs.get(event.ordinal)
  if (job === undefined || job.attempt !== event.attempt || job.result !== undefined) return state
  const again = { ...job, attempt: job.attempt + 1, claimedBy: undefined, run: undefined }
  const used = addUsage(campaign.used, event.usage)
  return { ...state, campaign: { ...campaign, used }, jobs: new Map(jobs).set(job.ordinal, again) }
}

const PRESSES_KEPT = 50
const DUPLICATES_KEPT = 200

// Several processes may find the same run, each more than once.
function bookDuplicate(
  state: CampaignState,
  { run, usage }: SteeringEvent & { type: 'duplicate' },
): CampaignState {
  const { used, control } = state.campaign
  const { duplicates = [] } = control
  if (duplicates.includes(run)) return state
  const booked = withControl(state, { duplicates: [...duplicates, run].slice(-DUPLICATES_KEPT) })
  return { ...booked, campaign: { ...booked.campaign, used: addUsage(used, usage) } }
}

function redirect(
  state: CampaignState,
  { title, body, ...event }: SteeringEvent & { type: 'direction' },
): CampaignState {
  const { direction } = state.campaign.control
  const issue = direction?.issue ?? event.issue
  if (issue === undefined || (direction?.title === title && direction.body === body)) return state
  return withControl(state, { direction: { issue, title, body } })
}

function promote(state: CampaignState, candidate: ParentRef, by: string): CampaignState {
  const known = findPull(state, candidate.ordinal)
  // A refused or closed candidate may be requested again. One in progress or merged stays as it is.
  if (known !== undefined && known.status !== 'refused' && known.status !== 'closed') return state
  const wanted = withPull(withoutDeclined(state, candidate.ordinal), {
    candidate,
    askedBy: by,
    status: 'confirming',
  })
  return (
    planConfirmation(wanted, candidate) ??
    withPull(state, { candidate, askedBy: by, status: 'refused', detail: 'no budget is left to confirm it' })
  )
}

function discard(state: CampaignState, ordinal: number): CampaignState {
  const declined = withDeclined(state, ordinal)
  const pull = findPull(declined, ordinal)
  if (pull?.status !== 'confirming' && pull?.status !== 'confirmed') return declined
  return withPull(declined, { ...pull, status: 'refused', detail: 'it was discarded' })
}

// Closing without merging is an answer: the idea is not proposed again.
function followPull(state: CampaignState, event: SteeringEvent & { type: 'pull' }): CampaignState {
  const pull = findPull(state, event.ordinal)
  if (pull === undefined || isOfAnEarlierOne(pull, event)) return state
  const number = event.number ?? pull.number
  const followed = withPull(state, { ...pull, status: event.status, number, detail: event.detail })
  return event.status === 'closed' ? withDeclined(followed, event.ordinal) : followed
}

// A candidate may be proposed again after its pull request was closed, and the event of the closing may arrive late.
function isOfAnEarlierOne(pull: Pull, { status, number }: SteeringEvent & { type: 'pull' }): boolean {
  if (status !== 'merged' && status !== 'closed') return false
  const isAnother = pull.number !== undefined && number !== undefined && number !== pull.number
  return isAnother || pull.status === 'confirming'
}
