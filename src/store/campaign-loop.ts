import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { prepareHistory } from '../core/archive/rebuild.ts'
import type { CampaignState } from '../core/campaign/campaign.ts'
import type { CampaignEvent, Effect, Reconfiguration } from '../core/campaign/events.ts'
import type { LedgerEntry } from '../core/campaign/ledger.ts'
import { tick } from '../core/campaign/tick.ts'
import { verdictWord } from '../core/measuring/verdict.ts'
import type { Steps } from '../core/steps.ts'
import { LoreleyError } from '../errors.ts'
import type { Snapshot, StateStore, StoredCampaign, UnpublishedRef } from './state-store.ts'

/** What the loop needs from a host: a store, effects, rendered pages and the time. */
export interface Host {
  readonly store: StateStore
  perform(effect: Effect, snapshot: Snapshot): Promise<void>
  renderPages(state: CampaignState): ReadonlyMap<string, string>
  now(): Date
  /** A random number in [0, 1) that spreads retries. It changes no result. */
  jitter(): number
}

export interface Step {
  readonly snapshot: Snapshot
  /** Candidates that this step finished, in the ledger's order. */
  readonly entries: readonly LedgerEntry[]
  /** Refs that could not be published. */
  readonly unpublished: readonly UnpublishedRef[]
}

/** A new config, with the digests of its evaluator and embedder. */
export interface ConfigChange extends Reconfiguration {
  readonly config: StoredCampaign['config']
}

const TRIES = 20
const RETRY_MS = 50

/**
 * Drives one campaign: load → tick → compare-and-swap → effects, one step at a time. The state is committed
 * before any effect is performed, so that the next start finishes the work after a crash.
 */
export class CampaignLoop {
  readonly #host: Host
  #snapshot: Snapshot

  private constructor(host: Host, snapshot: Snapshot) {
    this.#host = host
    this.#snapshot = snapshot
  }

  static open(host: Host, snapshot: Snapshot): CampaignLoop {
    return new CampaignLoop(host, snapshot)
  }

  /** Writes a new campaign's first state. */
  static async start(host: Host, stored: StoredCampaign): Promise<CampaignLoop> {
    const { id } = stored.state.campaign
    const pages = host.renderPages(stored.state)
    const outcome = await host.store.commit(undefined, {
      ...stored,
      pages,
      subject: `${id}: begin`,
      at: host.now(),
    })
    if (outcome.status === 'conflict') throw overtaken(id)
    return new CampaignLoop(host, outcome.snapshot)
  }

  get snapshot(): Snapshot {
    return this.#snapshot
  }

  /** Reads the state again, because others may have moved it. */
  async reload(): Promise<void> {
    this.#snapshot = (await this.#host.store.load(this.#snapshot.state.campaign.id)) ?? this.#snapshot
  }

  /** Applies a new config, if any, and events; commits the new state, then performs its effects. */
  async step(given: readonly CampaignEvent[], change?: ConfigChange): Promise<Step> {
    const events = change === undefined ? given : [{ type: 'config' as const, ...change }, ...given]
    const { store } = this.#host
    const { id } = this.#snapshot.state.campaign
    for (let tried = 0; tried < TRIES; tried++) {
      const base = await store.withTrees(this.#snapshot, treesOf(this.#snapshot, events))
      const at = this.#host.now()
      const { state, effects } = tick(base.state, events, at)
      const entries = state.ledger.tail.slice(
        state.ledger.tail.length - (state.ledger.count - base.state.ledger.count),
      )
      const config = change?.config ?? base.config
      const commit = {
        state,
        // Limits can change without a new config.
        config: { ...config, limits: { ...config.limits, ...state.config.limits } },
        pages: this.#host.renderPages(state),
        subject: subjectOf(state, entries),
        at,
      }
      const outcome = await store.commit(base.revision, commit)
      if (outcome.status === 'committed') {
        this.#snapshot = outcome.snapshot
        for (const effect of effects) {
          if (effect.type !== 'need-history') await this.#host.perform(effect, outcome.snapshot)
        }
        return effects.some(({ type }) => type === 'need-history')
          ? await this.#giveHistory(entries)
          : { snapshot: outcome.snapshot, entries, unpublished: outcome.unpublished }
      }
      await sleep(RETRY_MS * this.#host.jitter() * (tried + 1))
      await this.reload()
    }
    throw overtaken(id)
  }

  // The state records that it waits for its history, so after a crash the next step asks again.
  async #giveHistory(before: readonly LedgerEntry[]): Promise<Step> {
    const history: LedgerEntry[] = []
    for await (const entry of this.#host.store.readLedger(this.#snapshot, 'with-embeddings'))
      history.push(entry)
    const prepared = await finishInTurns(prepareHistory(this.#snapshot.state, history))
    const next = await this.step([{ type: 'history', entries: history, prepared }])
    return { ...next, entries: [...before, ...next.entries] }
  }
}

/** Runs a long computation with a turn of the event loop after each step: a server has others to serve meanwhile. */
export async function finishInTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
    await nextTurn()
  }
}

function treesOf({ state }: Snapshot, events: readonly CampaignEvent[]): string[] {
  const arriving = events.flatMap((event) => (event.type === 'finished' ? [event.result] : []))
  const waiting = [...state.jobs.values()].flatMap((job) => (job.result === undefined ? [] : [job.result]))
  return [...arriving, ...waiting].flatMap((result) => (result.tree === undefined ? [] : [result.tree]))
}

function subjectOf({ campaign }: CampaignState, entries: readonly LedgerEntry[]): string {
  const said = entries.map(({ ordinal, verdict }) => `${ordinal} ${verdictWord(verdict)}`)
  return `${campaign.id}: ${said.length === 0 ? campaign.status.phase : said.slice(0, 3).join(', ')}`
}

function overtaken(id: string): LoreleyError {
  return new LoreleyError(
    'state-conflict',
    `Another process keeps changing the campaign ${id} on loreley/state.`,
    'Make sure that only one host drives this campaign, then run the command again. It resumes.',
  )
}
