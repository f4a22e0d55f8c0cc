import type { CampaignConfig } from '../../config/campaign-config.ts'
import { digestEmbedder } from '../../config/embedder-identity.ts'
import { findFixedChanges } from '../../config/fixed-changes.ts'
import { mostUsage } from '../../config/most-usage.ts'
import { toCampaignInput } from '../../config/resolve.ts'
import { effectiveLimits } from '../../core/budget/limit-commands.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { digestOfRoot } from '../../github/git/root-guard.ts'
import { renderEpoch } from '../../reports/campaign/status-line.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import type { ApiPort, CommentsPort, TreesPort } from '../ports.ts'

export type ReconfigurePorts = ApiPort & TreesPort & CommentsPort

/**
 * Applies the default branch's config to a running campaign, if it changed. Returns the obstacles. If there are any,
 * only the limits apply. A new epoch is announced on the issue that started the campaign.
 */
export async function reconfigure(
  ports: ReconfigurePorts,
  driver: CampaignDriver,
  given: CampaignConfig,
): Promise<readonly string[]> {
  const { state, config: stored } = driver.snapshot
  const limits = effectiveLimits(given.limits, state.campaign.control.spoken)
  const embedder = digestEmbedder(given)
  const keyed = needsKeyAgain(stored, given)
  const fixed = [...findFixedChanges(stored, given), ...(keyed ? ['search.embedder'] : [])]
  if (fixed.length > 0) {
    if (!isSame({ ...stored, limits }, stored)) await driver.take({ type: 'limits', limits: given.limits })
    return [
      `The campaign ${state.campaign.id} was started with a different ${fixed.join(', ')}, and continues with the old values. Restore them, or give the new campaign another name under \`campaigns:\`.${keyed ? ONLY_AT_START : ''}`,
    ]
  }
  if (isSame({ ...given, limits }, stored)) return []
  const evaluator = await digestOfRoot(ports, given, state.campaign.root.tree)
  await driver.reconfigure({ config: given, evaluator, embedder, reserved: mostUsage(given) })
  const { campaign } = driver.snapshot.state
  const issue = campaign.control.direction?.issue
  if (campaign.epoch !== state.campaign.epoch && issue !== undefined)
    await ports.comments.answer(issue, renderEpoch(driver.snapshot.state))
  return []
}

function isSame(a: CampaignConfig, b: CampaignConfig): boolean {
  return canonicalJson(toCampaignInput(a)) === canonicalJson(toCampaignInput(b))
}

const ONLY_AT_START =
  ' An embedder that needs a key can only be chosen for a new campaign: the runs that describe the elites again never have a key.'

// The runs that measure the elites again also describe them, and those runs never hold a key.
function needsKeyAgain(stored: CampaignConfig, wanted: CampaignConfig): boolean {
  return wanted.embedder.use === 'openai' && digestEmbedder(stored) !== digestEmbedder(wanted)
}
