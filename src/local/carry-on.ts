import type { CampaignConfig } from '../config/campaign-config.ts'
import { unresolveCampaign } from '../config/unresolve.ts'
import { canonicalJson } from '../core/canonical-json.ts'
import { LoreleyError } from '../errors.ts'

// Measurements and niches of a campaign are comparable only while these stay as they are.
const FIXED = ['scope', 'objectives', 'evaluation', 'search'] as const
const FREE = ['search.plateau']

/** Refuses to carry a campaign on with a config that would make its numbers incomparable. */
export function assertCanCarryOn(stored: CampaignConfig, wanted: CampaignConfig): void {
  const before = flatten(stored)
  const after = flatten(wanted)
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => before.get(key) !== after.get(key),
  )
  if (changed.length === 0) return
  throw new LoreleyError(
    'campaign-changed',
    `The campaign ${stored.name} was begun with another ${changed.join(', ')}.`,
    'Put the old values back, or begin a new campaign: give it another name under `campaigns:`, or remove this one with `loreley clean --all`.',
  )
}

function flatten(config: CampaignConfig): Map<string, string> {
  const input = unresolveCampaign(config)
  const entries = FIXED.flatMap((section) =>
    Object.entries(input[section]).map(
      ([key, value]) => [`${section}.${key}`, canonicalJson(value)] as const,
    ),
  )
  return new Map(entries.filter(([key]) => !FREE.includes(key)))
}
