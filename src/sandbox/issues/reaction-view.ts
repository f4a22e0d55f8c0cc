import type { Box } from '../box.ts'
import { nodeId } from '../format.ts'
import { loginView } from '../users/user-view.ts'
import { REACTIONS, type Reaction } from './issues.ts'

export function reactionView(box: Box, reaction: Reaction) {
  return {
    id: reaction.id,
    node_id: nodeId('REA', reaction.id),
    user: loginView(box, reaction.login),
    content: reaction.content,
    created_at: reaction.createdAt,
  }
}

/** The reaction counts in issues and comments. `url` is the address of their subject. */
export function reactionRollup(url: string, reactions: readonly Reaction[]) {
  const count = (content: string): number => reactions.filter((one) => one.content === content).length
  return {
    url: `${url}/reactions`,
    total_count: reactions.length,
    ...Object.fromEntries(REACTIONS.map((content) => [content, count(content)])),
  }
}
