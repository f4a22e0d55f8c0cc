import type { Niche } from '../core/archive/archive.ts'
import { MAIN_ISLAND } from '../core/archive/islands.ts'
import { paddedOrdinal } from '../core/candidate/candidate-id.ts'

/** The branch that holds every campaign's state. */
export const STATE_REF = 'refs/heads/loreley/state'

/** How many finished candidates one ledger file holds. */
export const SHARD_LINES = 100

/** `campaigns/<id>`: the folder of a campaign on the state branch. */
export function campaignFolder(id: string): string {
  return `campaigns/${id}`
}

/** jobs/0042.json: at least four digits, so that lists sort. */
export function jobPath(ordinal: number): string {
  return `jobs/${paddedOrdinal(ordinal)}.json`
}

/** ledger/003.jsonl for the lines 300 to 399. */
export function shardPath(shard: number): string {
  return `ledger/${`${shard}`.padStart(3, '0')}.jsonl`
}

/** transcripts/0042.md: the conversation between a candidate's agent and its model. */
export function transcriptPath(ordinal: number): string {
  return `transcripts/${paddedOrdinal(ordinal)}.md`
}

/** vectors/003.jsonl: the embeddings of the candidates in the ledger file of the same number. */
export function vectorsPath(shard: number): string {
  return `vectors/${`${shard}`.padStart(3, '0')}.jsonl`
}

/** trees/<xx>.txt: the first candidate with each tree. */
export function treesPath(part: string): string {
  return `trees/${part}.txt`
}

/** Where elite refs are: visible branches, or hidden refs that trigger no automation. */
export type EliteNamespace = 'branches' | 'hidden'

/** The ref of an elite: `<island>/<cell>`, and `<island>/<cell>.<rank>` for further elites of the cell. */
export function eliteRef(
  campaign: string,
  { island, cell, rank }: Niche,
  namespace: EliteNamespace = 'branches',
): string {
  return `${eliteRefs(campaign, namespace)}${island}/${cell}${rank === 1 ? '' : `.${rank}`}`
}

/** An arbitrary niche, used to ask which rules apply to elite refs. */
export const SOME_NICHE: Niche = { island: MAIN_ISLAND, cell: '0-0', rank: 1 }

/** The prefixes of a campaign's elite refs. Refs in the unused namespace are removed. */
export function allEliteRefs(campaign: string): readonly string[] {
  return [eliteRefs(campaign, 'branches'), eliteRefs(campaign, 'hidden')]
}

/** The prefix of all elite refs of a campaign. */
export function eliteRefs(campaign: string, namespace: EliteNamespace = 'branches'): string {
  return `refs/${namespace === 'branches' ? 'heads/loreley' : 'loreley'}/elite/${campaign}/`
}

/** The ref that keeps a valid candidate's commit, elite or not. */
export function keepRef(campaign: string, ordinal: number): string {
  return `${keepRefs(campaign)}${paddedOrdinal(ordinal)}`
}

/** The prefix of all refs that keep a campaign's candidates. */
export function keepRefs(campaign: string): string {
  return `refs/loreley/keep/${campaign}/`
}

/** The branch that a campaign's runs use. Not the default branch, because a run there could write its caches. */
export function runnerRef(campaign: string): string {
  return `refs/heads/loreley/runner/${campaign}`
}

/** The branch of a candidate's pull request. */
export function pullRef(campaign: string, ordinal: number): string {
  return `refs/heads/loreley/pr/${campaign}/${paddedOrdinal(ordinal)}`
}
