import type { CampaignEvent } from '../../core/campaign/events.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { LoreleyError } from '../../errors.ts'
import type { CampaignLoop, ConfigChange } from '../../store/campaign-loop.ts'
import type {
  ApiPort,
  DefaultBranchPort,
  ElitesPort,
  StatePort,
  TreesPort,
  WorkflowPermissionPort,
} from '../ports.ts'
import { findRefusals } from './divergence.ts'

type StepPorts = ApiPort & StatePort & TreesPort & ElitesPort & DefaultBranchPort & WorkflowPermissionPort

// Refused, then published elsewhere, then nothing left to say.
const REFUSAL_ROUNDS = 3

/** What GitHub says against writing the state, and what to do about it; undefined for every other fault. */
function findStateRefusal(error: unknown): string | undefined {
  return error instanceof LoreleyError && error.code === 'state-refused'
    ? `${error.message} ${error.hint}`
    : undefined
}

/** Takes a campaign's steps, and sees to what GitHub does not take of them. */
export class StateSteps {
  readonly #ports: StepPorts
  readonly #loop: CampaignLoop
  readonly #tell: (refusal: string) => Promise<void>
  #refusal: string | undefined

  /** `tell` is for people: while the state is refused, nothing else can be shown. */
  constructor(ports: StepPorts, loop: CampaignLoop, tell: (refusal: string) => Promise<void>) {
    this.#ports = ports
    this.#loop = loop
    this.#tell = tell
  }

  /** What GitHub said against the state at the last step. */
  get refusal(): string | undefined {
    return this.#refusal
  }

  /** Gives the lines that it added to the ledger. */
  async take(events: readonly CampaignEvent[], change?: ConfigChange): Promise<readonly LedgerEntry[]> {
    try {
      const entries = await this.#takeAll(events, change)
      this.#refusal = undefined
      return entries
    } catch (error) {
      this.#refusal = findStateRefusal(error)
      if (this.#refusal !== undefined) await this.#tell(this.#refusal)
      throw error
    }
  }

  // What GitHub did not take is written down before anything new is begun.
  async #takeAll(events: readonly CampaignEvent[], change?: ConfigChange): Promise<readonly LedgerEntry[]> {
    let { unpublished, entries } = await this.#loop.step(events, change)
    for (let round = 0; round < REFUSAL_ROUNDS; round++) {
      const news = await findRefusals(this.#ports, this.#loop.snapshot, unpublished)
      if (news.length === 0) break
      const next = await this.#loop.step(news)
      unpublished = next.unpublished
      entries = [...entries, ...next.entries]
    }
    return entries
  }
}
