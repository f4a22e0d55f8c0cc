import type { CampaignConfig } from '../../config/campaign-config.ts'
import { createCampaignGuard } from '../../guard/campaign-guard.ts'
import { digestEvaluator } from '../../guard/evaluator/evaluator-digest.ts'
import type { Guard } from '../../guard/guard.ts'
import type { RepositoryApi } from '../api/repository-api.ts'
import type { BaseTrees } from './base-trees.ts'
import { BlobTexts } from './blob-texts.ts'

/** The guard of a campaign, with the root read over the API; equal to the runner's. Create it once per campaign. */
export async function createRootGuard(
  api: RepositoryApi,
  trees: BaseTrees,
  { config, tree }: { readonly config: CampaignConfig; readonly tree: string },
): Promise<Guard> {
  return await createCampaignGuard(config, await listRoot(trees, tree), textReader(api))
}

/** The evaluator digest of a root; equal to the one the runner reports. */
export async function digestOfRoot(
  { api, trees }: { readonly api: RepositoryApi; readonly trees: BaseTrees },
  config: CampaignConfig,
  tree: string,
): Promise<string> {
  return await digestEvaluator(config, await listRoot(trees, tree), textReader(api))
}

async function listRoot(trees: BaseTrees, tree: string) {
  return (await trees.files(tree)).map(({ path, mode, id }) => ({ path, mode, blob: id }))
}

function textReader(api: RepositoryApi): (blob: string) => Promise<string> {
  const texts = new BlobTexts(api)
  return async (blob) => (await texts.read([blob])).get(blob) ?? ''
}
