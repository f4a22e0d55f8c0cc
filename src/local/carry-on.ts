import type { CampaignConfig } from '../config/campaign-config.ts'
import { findFixedChanges } from '../config/fixed-changes.ts'
import { LoreleyError } from '../errors.ts'

/** Refuses to carry a campaign on with a config that another campaign would be needed for. */
export function assertCanCarryOn(stored: CampaignConfig, wanted: CampaignConfig): void {
  const changed = findFixedChanges(stored, wanted)
  if (changed.length === 0) return
  throw new LoreleyError(
    'campaign-changed',
    `The campaign ${stored.name} was begun with another ${changed.join(', ')}.`,
    'Put the old values back, or begin a new campaign: give it another name under `campaigns:`, or remove this one with `loreley clean --all`.',
  )
}
