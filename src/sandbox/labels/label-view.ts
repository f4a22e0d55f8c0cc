import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import { repoApiUrl } from '../repos/repository-view.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import type { Label } from './labels.ts'

export function labelView(box: Box, repo: RepositoryDocument, label: Label) {
  return {
    id: label.id,
    node_id: nodeId('LA', label.id),
    url: `${repoApiUrl(box, repo)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    // GitHub marks the labels that a new repository starts with; ours starts with none.
    default: false,
    description: label.description,
  }
}
