import type { CampaignConfig } from '../config/campaign-config.ts'
import { createCampaignGuard } from '../guard/campaign-guard.ts'
import type { Guard } from '../guard/guard.ts'
import type { BaseTrees } from './base-trees.ts'
import { BlobTexts } from './blob-texts.ts'
import type { RepositoryApi } from './repository-api.ts'

/** The guard of a campaign, its root read over the API: the same that the runner has. Make it once a campaign. */
export async function createRootGuard(
  api: RepositoryApi,
  trees: BaseTrees,
  { config, tree }: { readonly config: CampaignConfig; readonly tree: string },
): Promise<Guard> {
  const texts = new BlobTexts(api)
  const files = (await trees.filesNear(tree, [])).map(({ path, mode, id }) => ({ path, mode, blob: id }))
  return await createCampaignGuard(config, files, async (blob) => (await texts.read([blob])).get(blob) ?? '')
}
