import type { Agent } from '../agents/agent.ts'
import type { CampaignConfig } from '../config/campaign-config.ts'
import type { CampaignState } from '../core/campaign/campaign.ts'
import type { LedgerEntry } from '../core/campaign/ledger.ts'
import type { UsedIsolation } from '../core/measuring/provenance.ts'
import type { OpenGit } from '../store/open-git.ts'
import type { Snapshot } from '../store/state-store.ts'
import type { LocalFolders } from './local-folders.ts'

/** A run on this machine. */
export interface LocalRunRequest {
  readonly git: OpenGit
  readonly config: CampaignConfig
  /** The campaign's id where it differs from the config's name: an issue or a schedule started it. */
  readonly campaign?: string | undefined
  readonly agent: Agent
  readonly folders: LocalFolders
  readonly parallel: number
  readonly path: string
  /** The user's home, hidden from candidates. */
  readonly home: string
  readonly passedEnvironment: Readonly<Record<string, string>>
  /** The key of the embedder, if it needs one. */
  readonly embedderKey?: string | undefined
  /** Continue although the root's numbers vary too much. */
  readonly acceptNoise?: true | undefined
  readonly signal: AbortSignal
  readonly reporter: RunReporter
}

/** The campaign's id. */
export function idOf({ campaign, config }: Pick<LocalRunRequest, 'campaign' | 'config'>): string {
  return campaign ?? config.name
}

/** Receives the progress of a run. */
export interface RunReporter {
  started(snapshot: Snapshot, isNew: boolean, isolation: UsedIsolation): void
  finished(entry: LedgerEntry, state: CampaignState): void
  warned(message: string): void
}
