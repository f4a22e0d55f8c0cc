import type { Archive } from '../core/archive.ts'
import type { RefChange } from '../git/refs.ts'
import { type ElitePlace, eliteRef } from './layout.ts'

export type { RefChange } from '../git/refs.ts'

/** What makes the published elite refs match the archive. */
export function findEliteChanges(
  { campaign, place = 'branches' }: { readonly campaign: string; readonly place?: ElitePlace },
  archive: Archive,
  published: ReadonlyMap<string, string>,
): RefChange[] {
  const wanted = new Map(
    archive.members().map((member) => [eliteRef(campaign, member, place), member.elite.commit]),
  )
  const set = [...wanted].filter(([ref, commit]) => published.get(ref) !== commit)
  const gone = [...published].filter(([ref]) => !wanted.has(ref))
  return [
    ...set.map(([ref, to]) => ({ ref, to, from: published.get(ref) ?? 'absent' })),
    ...gone.map(([ref, from]) => ({ ref, to: undefined, from })),
  ]
}
