import type { CampaignState } from '../../core/campaign/campaign.ts'
import { LEFT_OUT_REASONS, type LeftOut } from '../../core/space/left-out.ts'

/** Files that have no part in the learned niches, with the reasons; empty when there are none. */
export function renderLeftOut({ campaign, config }: CampaignState): string[] {
  const { root = {}, changes = {} } = campaign.search.leftOut ?? {}
  const isRead = config.search.descriptor === 'repo_state'
  return [
    // Of the whole root, contents are read for `repo_state` only.
    ...renderCounts(root, (files) => `${files} of the root${isRead ? '' : ' by name'}`),
    ...renderCounts(changes, (files) => `${files} that candidates changed`),
  ]
}

/** Such as `3 files (generated 1, binary 2)`, in words of the caller's; empty when there are none. */
export function renderCounts(leftOut: LeftOut, say: (files: string) => string): string[] {
  const reasons = LEFT_OUT_REASONS.filter((reason) => leftOut[reason] !== undefined)
  if (reasons.length === 0) return []
  const total = reasons.reduce((sum, reason) => sum + (leftOut[reason] ?? 0), 0)
  const list = reasons.map((reason) => `${reason} ${leftOut[reason]}`).join(', ')
  return [`${say(total === 1 ? '1 file' : `${total} files`)} (${list})`]
}
