import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import { decodeCampaign, decodeLedger, decodeTrees } from '../../src/store/decode.ts'
import { encodeCampaign } from '../../src/store/encode.ts'
import { shardPath, vectorsPath } from '../../src/store/layout.ts'
import type { StoredCampaign } from '../../src/store/state-store.ts'
import { withAllTrees } from './builders.ts'

/** A campaign's documents in memory, written and read by the store's own codec. */
export class Documents {
  readonly #config: StoredCampaign['config']
  #texts = new Map<string, string>()

  constructor(config: StoredCampaign['config']) {
    this.#config = config
  }

  /** Writes all documents; job files that have no job any more go. */
  save(state: CampaignState): void {
    const kept = [...this.#texts].filter(([path]) => !path.startsWith('jobs/'))
    this.#texts = new Map([...kept, ...encodeCampaign({ state, config: this.#config })])
  }

  text(path: string): string {
    return this.#texts.get(path) ?? ''
  }

  /** The campaign as a host finds it after a restart. */
  load(): CampaignState {
    const shards = this.#paths('ledger/').length
    const last = Math.max(0, shards - 1)
    const sharded = /^(ledger|vectors)\//
    const wanted = [shardPath(last), vectorsPath(last)]
    const read = [...this.#texts].filter(([path]) => !sharded.test(path) || wanted.includes(path))
    const { state } = decodeCampaign('campaigns/demo', new Map(read), last)
    const trees = this.#paths('trees/').map((path) => {
      const part = path.slice('trees/'.length, -'.txt'.length)
      return [
        part,
        decodeTrees({ folder: 'campaigns/demo', path }, this.text(path), state.campaign.epoch),
      ] as const
    })
    return withAllTrees({ ...state, trees: new Map(trees) })
  }

  /** All finished candidates, oldest first. */
  ledger(): LedgerEntry[] {
    return this.#paths('ledger/').flatMap((_, shard) => decodeLedger('campaigns/demo', this.#texts, shard))
  }

  #paths(prefix: string): string[] {
    return [...this.#texts.keys()].filter((path) => path.startsWith(prefix)).sort()
  }
}
