import { randomBytes } from 'node:crypto'
import type { CampaignConfig } from '../../config/campaign-config.ts'
import { findFixedChanges } from '../../config/fixed-changes.ts'
import { mostUsage } from '../../config/most-usage.ts'
import { findBudgetStop } from '../../core/budget/stop-rules.ts'
import type { Direction } from '../../core/campaign/control.ts'
import { digestOfRoot } from '../../github/git/root-guard.ts'
import { pinRunner } from '../../github/runs/runner-branch.ts'
import { done, type Reply, refused } from '../people/reply.ts'
import type { CampaignDriver } from './campaign-driver.ts'
import { findObstacles, type StartPorts } from './campaign-start.ts'

/** Whether `loreley run` started a campaign. Its state may have been pushed only as a copy. */
export function isForeign({ snapshot }: CampaignDriver): boolean {
  return snapshot.state.campaign.order === 'ordinal'
}

/** Whether a label continues a campaign that `loreley run` started with the same config, instead of starting one. */
export function canAdopt(driver: CampaignDriver, config: CampaignConfig): boolean {
  const { state } = driver.snapshot
  if (!isForeign(driver) || state.campaign.id !== config.name) return false
  const { status } = state.campaign
  if (status.phase !== 'finished') return true
  const limited = { ...state, config: { ...state.config, limits: config.limits } }
  return status.reason.startsWith('budget-') && findBudgetStop(limited) === undefined
}

/** Continues a local campaign for an issue: same root, same archive, but on runners. */
export async function adopt(
  ports: StartPorts,
  driver: CampaignDriver,
  { config, direction }: { readonly config: CampaignConfig; readonly direction: Direction },
): Promise<Reply> {
  const { state, config: stored } = driver.snapshot
  const { id, root } = state.campaign
  const fixed = findFixedChanges(stored, config)
  if (fixed.length > 0)
    return refused(`${id} was started with a different ${fixed.join(', ')}. Restore the old values.`)
  const obstacles = await findObstacles(ports, id, config, root.commit)
  if (obstacles.length > 0) return refused(obstacles.join(' '))
  const pinned = await pinRunner(ports, state.campaign)
  if (pinned.status === 'refused') return refused(pinned.message)
  const evaluator = await digestOfRoot(ports, config, root.tree)
  await driver.take({ type: 'adopted', direction, nonce: randomBytes(8).toString('hex') })
  await driver.reconfigure({ config, evaluator, reserved: mostUsage(config) })
  await driver.take({ type: 'resumed', limits: config.limits, takeOver: true })
  return done(`${id} is carried on.`)
}
