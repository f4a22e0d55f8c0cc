import type { Issue } from '../issues/issues.ts'
import { defineTable, type Store } from '../state/store.ts'

export interface Label {
  readonly id: number
  readonly repositoryId: number
  readonly name: string
  /** Six hexadecimal digits. */
  readonly color: string
  readonly description: string | null
}

export const labels = defineTable<Label>('labels')

/** Labels of a repository, oldest first. */
export function labelsOf(store: Store, repositoryId: number): Label[] {
  return labels(store)
    .all()
    .filter((label) => label.repositoryId === repositoryId)
}

/** Names are compared without regard to case. */
export function findLabel(store: Store, repositoryId: number, name: string): Label | undefined {
  const wanted = name.toLowerCase()
  return labelsOf(store, repositoryId).find((label) => label.name.toLowerCase() === wanted)
}

/** The labels that an issue or a pull request has. */
export function labelsOn(store: Store, issue: Issue): Label[] {
  return issue.labels.flatMap((id) => labels(store).find(id) ?? [])
}
