import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import type { Issue } from '../issues/issues.ts'
import { repoApiUrl } from '../repos/repository-view.ts'
import type { RepositoryDocument } from '../state/documents.ts'
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

/** Finds a label by its case-insensitive name. */
export function findLabel(store: Store, repositoryId: number, name: string): Label | undefined {
  const wanted = name.toLowerCase()
  return labelsOf(store, repositoryId).find((label) => label.name.toLowerCase() === wanted)
}

/** The labels of an issue or pull request. */
export function labelsOn(store: Store, issue: Issue): Label[] {
  return issue.labels.flatMap((id) => labels(store).find(id) ?? [])
}

export function labelView(box: Box, repo: RepositoryDocument, label: Label) {
  return {
    id: label.id,
    node_id: nodeId('LA', label.id),
    url: `${repoApiUrl(box, repo)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    // GitHub marks the initial labels of a repository. Here a repository starts with none.
    default: false,
    description: label.description,
  }
}
