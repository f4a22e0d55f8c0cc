import { canonicalJson } from '../core/canonical-json.ts'
import type { CampaignConfig } from './campaign-config.ts'
import { toCampaignInput } from './resolve.ts'

// The scope and the shape of the niches cannot change during a campaign. A change of the evaluation or the embedder starts
// a new epoch. Everything else applies at once.
const FIXED = ['scope', 'search'] as const
const FREE = ['search.plateau', 'search.embedder']

/** The changed keys that prevent a campaign from continuing with a new config. */
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
