import type { CampaignConfig } from '../../config/campaign-config.ts'
import { digestEmbedder } from '../../config/embedder-identity.ts'
import { findFixedChanges } from '../../config/fixed-changes.ts'
import { mostUsage } from '../../config/most-usage.ts'
import { toCampaignInput } from '../../config/resolve.ts'
import { effectiveLimits } from '../../core/budget/limit-commands.ts'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { digestOfRoot } from '../../github/git/root-guard.ts'
import { renderEpoch } from '../../reports/campaign/status-line.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import type { ApiPort, CommentsPort, TreesPort } from '../ports.ts'

export type ReconfigurePorts = ApiPort & TreesPort & CommentsPort

/** What a campaign's section of the config asks for. */
export type ConfigAction =
  | { readonly type: 'nothing' }
  /** It cannot have the rest. */
  | { readonly type: 'limits'; readonly isNew: boolean; readonly obstacle: string }
  | { readonly type: 'reconfigure' }

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
  const action = decideConfig(state, stored, given)
  if (action.type === 'limits') {
    if (action.isNew) await driver.take({ type: 'limits', limits: given.limits })
    return [action.obstacle]
  }
  if (action.type === 'reconfigure') await renew(ports, driver, given)
  return []
}

/** What is due for a campaign whose section of the config is now `given`. */
export function decideConfig(
  { campaign }: CampaignState,
  stored: CampaignConfig,
  given: CampaignConfig,
): ConfigAction {
  const limits = effectiveLimits(given.limits, campaign.control.spoken)
  const keyed = needsKeyAgain(stored, given)
  const fixed = [...findFixedChanges(stored, given), ...(keyed ? ['search.embedder'] : [])]
  if (fixed.length === 0) return { type: isSame({ ...given, limits }, stored) ? 'nothing' : 'reconfigure' }
  const obstacle = `The campaign ${campaign.id} was started with a different ${fixed.join(', ')}, and continues with the old values. Restore them, or give the new campaign another name under \`campaigns:\`.${keyed ? ONLY_AT_START : ''}`
  return { type: 'limits', isNew: !isSame({ ...stored, limits }, stored), obstacle }
}

async function renew(ports: ReconfigurePorts, driver: CampaignDriver, given: CampaignConfig): Promise<void> {
  const { root, epoch } = driver.snapshot.state.campaign
  const evaluator = await digestOfRoot(ports, given, root.tree)
  const embedder = digestEmbedder(given)
  await driver.reconfigure({ config: given, evaluator, embedder, reserved: mostUsage(given) })
  const { campaign } = driver.snapshot.state
  const issue = campaign.control.direction?.issue
  if (campaign.epoch !== epoch && issue !== undefined)
    await ports.comments.answer(issue, renderEpoch(driver.snapshot.state))
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
