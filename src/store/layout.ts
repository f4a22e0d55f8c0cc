import type { Niche } from '../core/archive/archive.ts'
import { MAIN_ISLAND } from '../core/archive/islands.ts'
import { paddedOrdinal } from '../core/candidate/candidate-id.ts'

/** The branch that holds every campaign's state. */
export const STATE_REF = 'refs/heads/loreley/state'

/** How many finished candidates one ledger file holds. */
export const SHARD_LINES = 100

/** `campaigns/<id>`: where a campaign's documents are on the state branch. */
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

/** transcripts/0042.md: what was said between a candidate's agent and its model. */
export function transcriptPath(ordinal: number): string {
  return `transcripts/${paddedOrdinal(ordinal)}.md`
}

/** vectors/003.jsonl: the embeddings of the candidates in the ledger file of the same number. */
export function vectorsPath(shard: number): string {
  return `vectors/${`${shard}`.padStart(3, '0')}.jsonl`
}

/** trees/<xx>.txt: which candidate had a tree first. */
export function treesPath(part: string): string {
  return `trees/${part}.txt`
}

/** Where elites stand: as branches that everybody sees, or where nothing looks that acts on branches. */
export type EliteNamespace = 'branches' | 'hidden'

/** The ref of the elite that holds a niche: `<island>/<cell>`, of further elites of the cell `<island>/<cell>.<rank>`. */
export function eliteRef(
  campaign: string,
  { island, cell, rank }: Niche,
  namespace: EliteNamespace = 'branches',
): string {
  return `${eliteRefs(campaign, namespace)}${island}/${cell}${rank === 1 ? '' : `.${rank}`}`
}

/** A niche like any other, to ask about the rules that hold for elite refs. */
export const SOME_NICHE: Niche = { island: MAIN_ISLAND, cell: '0-0', rank: 1 }

/** The prefixes below which a campaign's elites may lie. Refs of the namespace that is not in use are removed. */
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

/** The branch that a campaign's runs are dispatched on: not the default one, whose caches a run could write. */
export function runnerRef(campaign: string): string {
  return `refs/heads/loreley/runner/${campaign}`
}

/** The branch of a candidate's pull request. */
export function pullRef(campaign: string, ordinal: number): string {
  return `refs/heads/loreley/pr/${campaign}/${paddedOrdinal(ordinal)}`
}
