import { canonicalJson } from '../core/canonical-json.ts'
import type { CampaignConfig } from './campaign-config.ts'
import { toCampaignInput } from './resolve.ts'

// What candidates may touch, and how niches are cut, cannot change under a campaign. What measures and what describes
// can: that begins a new epoch. All else applies at once.
const FIXED = ['scope', 'search'] as const
const FREE = ['search.plateau', 'search.embedder']

/** The keys in which a config differs so that a campaign cannot be carried on with it. */
export function findFixedChanges(stored: CampaignConfig, wanted: CampaignConfig): readonly string[] {
  const before = flatten(stored)
  const after = flatten(wanted)
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key))
}

function flatten(config: CampaignConfig): Map<string, string> {
  const input = toCampaignInput(config)
  const entries = FIXED.flatMap((section) =>
    Object.entries(input[section]).map(
      ([key, value]) => [`${section}.${key}`, canonicalJson(value)] as const,
    ),
  )
  return new Map(entries.filter(([key]) => !FREE.includes(key)))
}
