import type { CampaignState } from '../core/campaign/campaign.ts'
import { isRenewing } from '../core/measuring/renewing.ts'
import type { RefChange } from '../git/refs.ts'
import { shardOf } from './encode.ts'
import { type EliteNamespace, eliteRef, jobPath, keepRef, SHARD_LINES, shardPath } from './layout.ts'
import type { Change, Revision } from './state-store.ts'

export type { RefChange } from '../git/refs.ts'

/** The changes that make the published elite refs match the archive. Refs of the other namespace are removed. */
export function findEliteChanges(
  { campaign, archive, jobs }: Pick<CampaignState, 'campaign' | 'archive' | 'jobs'>,
  namespace: EliteNamespace,
  published: ReadonlyMap<string, string>,
): RefChange[] {
  const wanted = new Map(
    archive.members().map((member) => [eliteRef(campaign.id, member, namespace), member.elite.commit]),
  )
  const set = [...wanted].filter(([ref, commit]) => published.get(ref) !== commit)
  // Until all elites of the previous epoch are measured again, none has lost its cell.
  const gone = isRenewing({ campaign, jobs }) ? [] : [...published].filter(([ref]) => !wanted.has(ref))
  return [
    ...set.map(([ref, to]) => ({ ref, to, from: published.get(ref) ?? 'absent' })),
    ...gone.map(([ref, from]) => ({ ref, to: undefined, from })),
  ]
}

/**
 * A keep ref for every candidate that a change mentions for the first time. Without one, a rebuild could elect a
 * commit that git has collected.
 */
export function findKeeps(base: Revision | undefined, { state }: Pick<Change, 'state'>): RefChange[] {
  const { count, tail } = state.ledger
  const linesOf = (shard: number): number =>
    (base?.documents.get(shardPath(shard)) ?? '').split('\n').length - 1
  const finished = tail.filter((_, position) => {
    const index = count - tail.length + position
    return index % SHARD_LINES >= linesOf(shardOf(index))
  })
  const waiting = waitingOf(state).filter(
    ({ ordinal }) => base?.documents.get(jobPath(ordinal))?.includes('"result"') !== true,
  )
  return keepsOf(state, [...finished, ...waiting])
}

/** The keep refs of all candidates in a state. */
export function listKeeps(state: CampaignState): RefChange[] {
  return keepsOf(state, [...state.ledger.tail, ...waitingOf(state)])
}

interface Kept {
  readonly ordinal: number
  readonly commit?: string | undefined
}

/** Measured candidates that wait for admission. */
function waitingOf({ jobs }: CampaignState): Kept[] {
  return [...jobs.values()].flatMap(({ ordinal, result }) =>
    result?.status === 'measured' ? [{ ordinal, commit: result.commit }] : [],
  )
}

function keepsOf({ campaign }: CampaignState, candidates: readonly Kept[]): RefChange[] {
  return candidates.flatMap(({ ordinal, commit }) =>
    commit === undefined ? [] : [{ ref: keepRef(campaign.id, ordinal), to: commit, from: 'any' }],
  )
}
