import { expect } from 'vitest'
import type { CampaignConfig } from '../../src/config/campaign-config.ts'
import type { Campaign, CampaignState } from '../../src/core/campaign/campaign.ts'
import type { CampaignEvent, Effect } from '../../src/core/campaign/events.ts'
import type { Job } from '../../src/core/campaign/job.ts'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import { tick } from '../../src/core/campaign/tick.ts'
import { pick, type Rng, rngFor, shuffled } from '../../src/core/rng.ts'
import { encodeCampaign } from '../../src/store/encode.ts'
import { aCampaign } from '../support/builders.ts'
import { minute } from '../support/campaign-steps.ts'
import { Documents } from '../support/documents.ts'
import { asSeenBy, RESERVED, resultOf } from './world.ts'

export interface Game {
  readonly config: CampaignConfig
  readonly order: Campaign['order']
  readonly worldSeed: number
  readonly parallel: number
  /** What the faults and the order of events are drawn from; undefined for an undisturbed run. */
  readonly chaosSeed?: number | undefined
}

export interface Played {
  readonly state: CampaignState
  readonly ledger: readonly LedgerEntry[]
  readonly archive: string
  readonly restored: CampaignState
}

/** Called with the state after every tick, before it is saved. */
export type Watcher = (after: CampaignState) => void

/** Plays a campaign to its end on a fake host: jobs run out of order, events come late, twice or not at all. */
export function play(game: Game, watch: Watcher = () => undefined): Played {
  const host = new FakeHost(game, watch)
  const limit = 200 * game.config.limits.candidates
  for (let turn = 0; turn < limit; turn++) {
    if (host.phase === 'finished') return host.outcome()
    host.turn()
  }
  throw new Error(`the campaign did not finish in ${limit} turns: ${host.phase}`)
}

class FakeHost {
  readonly #game: Game
  readonly #watch: Watcher
  readonly #documents: Documents
  readonly #chaos: Rng | undefined
  #state: CampaignState
  #open = new Map<string, Job>()
  #mail: CampaignEvent[] = []
  #ticks = 0

  constructor(game: Game, watch: Watcher) {
    this.#game = game
    this.#watch = watch
    this.#documents = new Documents(game.config)
    this.#chaos = game.chaosSeed === undefined ? undefined : rngFor(game.chaosSeed, 0, 'chaos')
    this.#state = aCampaign({ config: game.config, order: game.order, reserved: RESERVED })
    this.#documents.save(this.#state)
    this.#restart()
  }

  get phase(): string {
    return this.#state.campaign.status.phase
  }

  turn(): void {
    if (this.#happens(0.04)) this.#crash(this.#happens(0.5))
    // A pause by the rules or by hand ends with the next start of a host.
    else if (this.phase === 'paused' && (this.#chaos === undefined || this.#happens(0.3))) this.#restart()
    else if (this.#happens(0.01)) this.#tick([{ type: 'command', command: 'pause', detail: 'chance' }])
    else if (this.#game.order === 'arrival' && this.#happens(0.08)) this.#steer()
    else if (this.#open.size > 0 && (this.#mail.length === 0 || this.#happens(0.6)))
      this.#run(this.#happens(0.2))
    else if (this.#mail.length > 0) this.#deliver(this.#happens(0.1))
    // Everything was lost: a new start dispatches it again.
    else this.#restart()
  }

  outcome(): Played {
    const restored = this.#documents.load()
    const ledger = this.#documents.ledger()
    return { state: this.#state, ledger, archive: this.#documents.text('archive.json'), restored }
  }

  #run(twice: boolean): void {
    const started = [...this.#open]
      .sort(([, a], [, b]) => a.ordinal - b.ordinal)
      .slice(0, this.#game.parallel)
    const [first] = started
    if (first === undefined) return
    const [key, job] = this.#chaos === undefined ? first : pick(started, this.#chaos)
    this.#open.delete(key)
    const result = asSeenBy(this.#state, resultOf(this.#game.worldSeed, job))
    const event: CampaignEvent = { type: 'finished', ordinal: job.ordinal, attempt: job.attempt, result }
    this.#mail.push(event, ...(twice ? [event] : []))
  }

  /** People do things at any moment, sensible or not. */
  #steer(): void {
    const rng = this.#chaos
    if (rng === undefined) return
    const elites = this.#state.archive.members().map(({ elite }) => elite)
    const [elite] = shuffled(elites, rng)
    if (elite === undefined) return
    const candidate = { ordinal: elite.ordinal, commit: elite.commit, tree: elite.tree }
    const plan = { operator: 'mutate', parent: candidate, inspirations: [] } as const
    const event = pick<CampaignEvent>(
      [
        { type: 'promote', candidate, by: 'wendy' },
        { type: 'discard', ordinal: elite.ordinal },
        { type: 'measure-again', candidate },
        { type: 'plan-again', plan },
        { type: 'hold', reason: 'issue', detail: 'chance' },
        { type: 'pull', ordinal: elite.ordinal, status: pick(['merged', 'closed'], rng) },
        { type: 'timer' },
      ],
      rng,
    )
    this.#tick([event])
  }

  #deliver(keep: boolean): void {
    const mail = this.#chaos === undefined ? this.#mail : shuffled(this.#mail, this.#chaos)
    const count = this.#chaos === undefined ? mail.length : 1 + this.#chaos.int(mail.length)
    this.#mail = keep ? mail : mail.slice(count)
    this.#tick(mail.slice(0, count))
  }

  #tick(events: readonly CampaignEvent[]): void {
    const before = this.#state
    const { config } = this.#game
    const input = encodeCampaign({ state: before, config })
    const { state, effects } = tick(before, events, minute(this.#ticks++))
    expect(encodeCampaign({ state: before, config }), 'the input of a tick').toEqual(input)
    this.#watch(state)
    const killed = this.#happens(0.06) ? (this.#happens(0.5) ? 'before-commit' : 'before-effects') : undefined
    if (killed !== 'before-commit') {
      this.#documents.save(state)
      this.#state = state
    }
    if (killed !== undefined) this.#crash(true)
    else for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: Effect): void {
    if (effect.type === 'need-history')
      this.#mail.push({ type: 'history', entries: this.#documents.ledger() })
    if (effect.type === 'open-pull')
      this.#mail.push({ type: 'pull', ordinal: effect.pull.candidate.ordinal, status: 'open', number: 1 })
    if (effect.type !== 'dispatch') return
    const { ordinal, attempt } = effect.job
    this.#open.set(`${ordinal}/${attempt}`, effect.job)
    if (this.#game.order === 'arrival' && this.#happens(0.5))
      this.#mail.push({ type: 'dispatched', ordinal, attempt, run: 1000 + ordinal })
  }

  #happens(share: number): boolean {
    return this.#chaos !== undefined && this.#chaos.unit() < share
  }

  #crash(mailIsLost: boolean): void {
    if (mailIsLost) this.#mail = []
    this.#restart()
  }

  #restart(): void {
    this.#open.clear()
    this.#state = this.#documents.load()
    // Its runs died with it: nobody else works on what they were for.
    this.#tick([{ type: 'resumed', limits: this.#state.config.limits, takeOver: true }])
  }
}
