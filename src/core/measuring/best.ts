import { type Archive, findBest } from '../archive/archive.ts'
import type { CampaignState } from '../campaign/campaign.ts'
import { withControl } from '../campaign/pulls.ts'
import { planConfirmation } from './confirm.ts'

const BESTS_KEPT = 200

/** Records a new best and, in a noisy campaign, plans to confirm it: it steers the search, and selection favours luck. */
export function followBest(before: CampaignState, after: CampaignState): CampaignState {
  const best = findBest(after.archive, after.config.objectives)
  if (best === undefined || !isNewBest(before, after.archive)) return after
  const { ordinal, commit, tree } = best
  const noted = noteBest(after, best.value[0] ?? 0)
  if (best.interval === undefined || best.confirmed === true) return noted
  return planConfirmation(noted, { ordinal, commit, tree }, { purpose: 'best' }) ?? noted
}

function noteBest(state: CampaignState, value: number): CampaignState {
  const { bests } = state.campaign.control
  const best = { finished: state.campaign.finished, value }
  return withControl(state, { bests: [...bests, best].slice(-BESTS_KEPT) })
}

/** Whether the best has changed. */
export function isNewBest({ archive: before, config }: CampaignState, after: Archive): boolean {
  const old = findBest(before, config.objectives)
  const best = findBest(after, config.objectives)
  return best !== undefined && best.ordinal !== old?.ordinal
}

// After 8, 32, 128… children: a lucky number would mislead many of them.
const FIRST_CHILDREN = 8
const GROWTH = 4

/** Plans to confirm a candidate that was often chosen as a parent. */
export function remeasureSteering(state: CampaignState, ordinal: number): CampaignState {
  const children = state.campaign.search.children[ordinal] ?? 0
  if (!isTurn(children)) return state
  const elite = state.archive.members().find((member) => member.elite.ordinal === ordinal)?.elite
  const breeder = state.campaign.search.breeding?.pool.find((each) => each.ordinal === ordinal)
  const { commit, tree, interval } = elite ?? breeder ?? {}
  if (interval === undefined || commit === undefined || tree === undefined) return state
  return planConfirmation(state, { ordinal, commit, tree }, { purpose: 'steering' }) ?? state
}

function isTurn(children: number): boolean {
  let turn = FIRST_CHILDREN
  while (turn < children) turn *= GROWTH
  return children === turn
}
