import { nicheName } from '../../core/archive/archive.ts'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { standsOut } from '../../core/measuring/figures.ts'
import { findFailure } from '../../core/measuring/verdict.ts'
import { renderGain } from '../numbers.ts'
import { rankElites } from './leaderboard.ts'

/** A checkbox; its marker identifies it. */
export interface Box {
  readonly marker: string
  readonly text: string
}

const OFFERED = 3

/** The checkboxes that make sense now. */
export function boxesFor(state: CampaignState): readonly Box[] {
  const { campaign } = state
  const { phase } = campaign.status
  const resumable = phase === 'paused' || (phase === 'finished' && campaign.baseline !== undefined)
  const unoffered = rankElites(state).filter(
    ({ elite }) =>
      elite.ordinal !== 0 &&
      standsOut(state, elite) &&
      !campaign.control.pulls.some((pull) => pull.candidate.ordinal === elite.ordinal),
  )
  // The best of each niche: people choose between kinds of solutions, not between variants of one.
  const niches = new Map(unoffered.toReversed().map((ranked) => [nicheName(ranked), ranked]))
  const offered = unoffered.filter((ranked) => niches.get(nicheName(ranked)) === ranked)
  const failed = state.ledger.tail.some(({ verdict }) => findFailure(verdict) === 'infrastructure')
  return [
    ...(phase === 'paused' || phase === 'finished' ? [] : [{ marker: 'pause', text: 'Pause' }]),
    ...(resumable ? [{ marker: 'resume', text: 'Resume' }] : []),
    ...offered.slice(0, OFFERED).map((ranked) => ({
      marker: `promote=${ranked.elite.ordinal}`,
      text: `Promote ${candidateId(campaign.id, ranked.elite.ordinal)} (niche ${nicheName(ranked)}, ${renderGain(ranked.gain)})`,
    })),
    ...(failed ? [{ marker: 'retry', text: 'Retry candidates that the infrastructure failed' }] : []),
  ]
}

const TICKED = /^- \[x\] <!-- loreley:([a-z0-9=-]{1,40}) -->/gim

/** The markers of all ticked boxes of a comment. */
export function findTicked(body: string): readonly string[] {
  return [...body.matchAll(TICKED)].map(([, marker = '']) => marker)
}

/** The same text with no box ticked. */
export function clearTicks(body: string): string {
  return body.replaceAll(TICKED, '- [ ] <!-- loreley:$1 -->')
}
