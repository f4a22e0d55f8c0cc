import type { Box } from '../../box.ts'
import { isoTime } from '../../format.ts'
import type { RepositoryDocument } from '../../state/documents.ts'
import { defineTable, type Store, type Table } from '../../state/store.ts'

/** A secret or a variable of a repository or of one of its environments. */
export interface NamedValue {
  readonly repositoryId: number
  /** Null for a value of the repository itself. */
  readonly environmentId: number | null
  /** Upper case, because names are case-insensitive. */
  readonly name: string
  readonly value: string
  readonly createdAt: string
  readonly updatedAt: string
}

export type ValueKind = 'secret' | 'variable'
/** The owner of values: a repository, or one of its environments. */
export type Scope = { readonly repo: RepositoryDocument; readonly environmentId: number | null }

const TABLES: Readonly<Record<ValueKind, (store: Store) => Table<NamedValue>>> = {
  secret: defineTable<NamedValue>('secrets'),
  variable: defineTable<NamedValue>('variables'),
}

function keyOf({ repo, environmentId }: Scope, name: string): string {
  return `${repo.id}/${environmentId ?? ''}/${name.toUpperCase()}`
}

/** The values of one scope, sorted by name. */
export function listValues(box: Box, kind: ValueKind, scope: Scope): NamedValue[] {
  return TABLES[kind](box.store)
    .all()
    .filter((one) => one.repositoryId === scope.repo.id && one.environmentId === scope.environmentId)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

export function findValue(box: Box, kind: ValueKind, scope: Scope, name: string): NamedValue | undefined {
  return TABLES[kind](box.store).find(keyOf(scope, name))
}

/** Sets a value, replacing an old one. */
export function putValue(
  box: Box,
  kind: ValueKind,
  scope: Scope,
  draft: { readonly name: string; readonly value: string },
): NamedValue {
  const now = isoTime(box.now())
  return TABLES[kind](box.store).put(keyOf(scope, draft.name), {
    repositoryId: scope.repo.id,
    environmentId: scope.environmentId,
    name: draft.name.toUpperCase(),
    value: draft.value,
    createdAt: findValue(box, kind, scope, draft.name)?.createdAt ?? now,
    updatedAt: now,
  })
}

export function removeValue(box: Box, kind: ValueKind, scope: Scope, name: string): void {
  TABLES[kind](box.store).remove(keyOf(scope, name))
}

/** Removes all secrets and variables of a deleted environment. */
export function removeValues(box: Box, repo: RepositoryDocument, environmentId: number): void {
  const scope = { repo, environmentId }
  for (const kind of ['secret', 'variable'] as const) {
    for (const { name } of listValues(box, kind, scope)) removeValue(box, kind, scope, name)
  }
}

/** The values that a job sees, by name. Its environment's values override the repository's. */
export function valuesForJob(
  box: Box,
  kind: ValueKind,
  { repo, environmentId }: Scope,
): Readonly<Record<string, string>> {
  const ownOf = (id: number | null) => listValues(box, kind, { repo, environmentId: id })
  const all = [...ownOf(null), ...(environmentId === null ? [] : ownOf(environmentId))]
  return Object.fromEntries(all.map(({ name, value }) => [name, value]))
}
