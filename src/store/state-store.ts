import type { CampaignState } from '../core/campaign/campaign.ts'
import type { UnpublishedRef } from '../core/campaign/control.ts'
import type { LedgerEntry } from '../core/campaign/ledger.ts'
import type { CampaignConfig } from '../protocol/config-document.ts'

export type { UnpublishedRef } from '../core/campaign/control.ts'

/** A campaign in a store. `state.config` is the engine's view of `config`. */
export interface StoredCampaign {
  readonly state: CampaignState
  readonly config: CampaignConfig
}

/** A campaign as read or written, with its revision. */
export interface Snapshot extends StoredCampaign {
  readonly revision: Revision
}

/** Where a snapshot came from: the head it was based on, and the bytes of its documents. */
export interface Revision {
  readonly head: string | undefined
  /** The tree of the campaign's folder at that head; undefined before it exists. */
  readonly folder: string | undefined
  /** Document texts by path below the campaign's folder; only those that were read or written. */
  readonly documents: ReadonlyMap<string, string>
}

export interface Change extends StoredCampaign {
  /** Rendered pages (README.md…) by path below the campaign's folder. */
  readonly pages: ReadonlyMap<string, string>
  /** What happened, for the commit's subject. */
  readonly subject: string
  readonly at: Date
}

export type CommitOutcome =
  | {
      readonly status: 'committed'
      readonly snapshot: Snapshot
      /** Refs that could not be published. */
      readonly unpublished: readonly UnpublishedRef[]
    }
  /** Somebody else changed this campaign. Load it again and repeat the tick. */
  | { readonly status: 'conflict' }

/** Stores campaigns. Changes use compare-and-swap, so nobody's work is overwritten. */
export interface StateStore {
  list(): Promise<readonly string[]>
  load(campaign: string): Promise<Snapshot | undefined>
  /** The snapshot with exactly those parts of the tree index that these trees need. */
  withTrees(snapshot: Snapshot, trees: readonly string[]): Promise<Snapshot>
  /** `base` is the revision the change was made from; undefined for a new campaign. */
  commit(base: Revision | undefined, change: Change): Promise<CommitOutcome>
  /** All finished candidates, oldest first. Embeddings, which are most of the bytes, only on request. */
  readLedger(snapshot: Snapshot, what?: 'with-embeddings'): AsyncIterable<LedgerEntry>
}
