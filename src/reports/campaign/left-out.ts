import type { CampaignState } from '../../core/campaign/campaign.ts'
import { LEFT_OUT_REASONS, type LeftOut } from '../../core/space/left-out.ts'

/** Files that the learned niches ignore, with the reasons; empty when there are none. */
export function renderLeftOut({ campaign, config }: CampaignState): string[] {
  const { root = {}, changes = {} } = campaign.search.leftOut ?? {}
  const isRead = config.search.descriptor === 'repo_state'
  return [
    // Only `repo_state` reads the contents of the whole root.
    ...renderCounts(root, (files) => `${files} in the root${isRead ? '' : ', by name'}`),
    ...renderCounts(changes, (files) => `${files} changed by candidates`),
  ]
}

/** Such as `3 files (generated 1, binary 2)`; `say` completes the phrase. Empty when there are none. */
export function renderCounts(leftOut: LeftOut, say: (files: string) => string): string[] {
  const reasons = LEFT_OUT_REASONS.filter((reason) => leftOut[reason] !== undefined)
  if (reasons.length === 0) return []
  const total = reasons.reduce((sum, reason) => sum + (leftOut[reason] ?? 0), 0)
  const list = reasons.map((reason) => `${reason} ${leftOut[reason]}`).join(', ')
  return [`${say(total === 1 ? '1 file' : `${total} files`)} (${list})`]
}
