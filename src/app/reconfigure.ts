import type { CampaignConfig } from '../config/campaign-config.ts'
import { findFixedChanges } from '../config/fixed-changes.ts'
import { mostUsage } from '../config/most-usage.ts'
import { digestEvaluator } from '../guard/evaluator-digest.ts'
import { renderEpoch } from '../reports/status-line.ts'
import type { CampaignDriver } from './campaign-driver.ts'
import type { RepositoryTools } from './repository-tools.ts'

/** The digest of what measures candidates of a root. */
export async function digestOfRoot(
  { trees }: Pick<RepositoryTools, 'trees'>,
  config: CampaignConfig,
  tree: string,
): Promise<string> {
  const files = await trees.filesNear(tree, [])
  return digestEvaluator(
    config,
    files.map(({ path, id }) => ({ path, blob: id })),
  )
}

/**
 * Takes over the default branch's config for a campaign under way; gives what stands in the way. Then only its limits
 * apply. A new epoch is told where the campaign was started.
 */
export async function reconfigure(
  tools: RepositoryTools,
  driver: CampaignDriver,
  config: CampaignConfig,
): Promise<readonly string[]> {
  const { state, config: stored } = driver.snapshot
  const fixed = findFixedChanges(stored, config)
  if (fixed.length > 0) {
    await driver.take({ type: 'limits', limits: config.limits })
    return [
      `The campaign ${state.campaign.id} was begun with another ${fixed.join(', ')}, and goes on with the old. Put the old values back, or give the new campaign another name under \`campaigns:\`.`,
    ]
  }
  const evaluator = await digestOfRoot(tools, config, state.campaign.root.tree)
  await driver.reconfigure({ config, evaluator, reserved: mostUsage(config) })
  const { campaign } = driver.snapshot.state
  const issue = campaign.control.direction?.issue
  if (campaign.epoch !== state.campaign.epoch && issue !== undefined)
    await tools.comments.answer(issue, renderEpoch(driver.snapshot.state))
  return []
}
