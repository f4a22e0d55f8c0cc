import * as z from 'zod'
import type { CampaignConfig } from '../config/campaign-config.ts'
import { resolveCampaign, toCampaignInput } from '../config/resolve.ts'
import { campaignSchema } from '../config/schema/campaign.ts'

export type { CampaignConfig } from '../config/campaign-config.ts'

/** config.json without its schema version: the config in the file's own keys, every default filled in. */
export const configDocument = z
  .strictObject({ name: z.string(), config: campaignSchema })
  .transform(({ name, config }): CampaignConfig => resolveCampaign(name, config))

/** What is written to config.json. */
export function createConfigDocument(config: CampaignConfig): unknown {
  return { name: config.name, config: toCampaignInput(config) }
}
