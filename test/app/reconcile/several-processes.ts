import { setTimeout as sleep } from 'node:timers/promises'
import type { Evidence } from '../../../src/app/reconcile/evidence.ts'
import { RepositoryReconciler } from '../../../src/app/reconcile/repository-reconciler.ts'
import { PRODUCTION_SETTINGS } from '../../../src/app/server/settings.ts'
import { type Rng, rngFor } from '../../../src/core/rng.ts'
import type { Transport } from '../../../src/github/api/api-client.ts'
import type { Clock } from '../../../src/github/api/clock.ts'
import { NO_FAULTS } from '../../../src/sandbox/settings.ts'
import { listDeliveries } from '../../../src/sandbox/webhooks/hooks.ts'
import { aConfigFile, dashboardsOn, ledgerOf, stateOf } from '../../e2e/app-scene.ts'
import { aGitHub, type TestGitHub } from '../../github/support.ts'
import { portsOf } from '../a-repository.ts'
import { FakeRunner } from '../fake-runner.ts'
import { FILES, label } from '../support.ts'
import { keepTokens, readEvidence } from './scenario.ts'

/** What a campaign came to that three processes drove at the same time. */
export interface Played {
  readonly limit: number
  /** What all runs cost that began, doubled and cancelled ones included. */
  readonly spent: number
  /** What the campaign says it has spent. */
  readonly booked: number
  readonly phase: string | undefined
  /** The names of runs of which there was more than one. */
  readonly doubled: readonly string[]
  /** Ledger lines, by ordinal. */
  readonly ordinals: readonly number[]
  readonly dashboards: number
  readonly kills: number
}

const PROCESSES = 3
const LIMIT = 4.5
const EACH = 0.45
/** So many calls of all processes meet with faults. After them the campaign must come to its end. */
const FAULTY_CALLS = 20
const MOST_CALLS = 150
const FAULTS = { ...NO_FAULTS, failBefore: 0.04, failAfter: 0.04, webhookLost: 1 }
const CONFIG = aConfigFile(
  `candidates: 50, parallel: 3, same_failure: 50, open_prs: 0, dollars: ${LIMIT}`,
  `agent:
  use: openai
  openai: { models: [{ name: m, price: { input: 5, output: 5 } }] }
  limits: { tokens: 100000 }
`,
)

/** A process of the app. Killed, it stops in the middle of a request and never goes on. */
class Process {
  readonly #reconciler: RepositoryReconciler
  readonly #clock: SharedClock
  readonly #rng: Rng
  readonly #killed: Promise<void>
  #kill: () => void = () => undefined
  isAlive = true
  /** It dies with this request; never if undefined. */
  dieAt: number | undefined
  #seen = 0
  #visitedAt = Number.NEGATIVE_INFINITY

  constructor(github: TestGitHub, clock: SharedClock, rng: Rng) {
    this.#clock = clock
    this.#rng = rng
    this.#killed = new Promise((resolve) => {
      this.#kill = resolve
    })
    const ownClock = clock.of(() => this.isAlive)
    const api = github.api({ clock: ownClock, transport: this.#mortal(github.octokit) })
    const settings = PRODUCTION_SETTINGS
    const ports = portsOf(github, { api, clock: ownClock, settings, log: () => undefined })
    this.#reconciler = new RepositoryReconciler(ports)
  }

  get nextAt(): number {
    return this.#reconciler.outlook.nextAt
  }

  /** Tells it all webhooks that it has not heard yet, and lets it do what is due. */
  async call({ box }: TestGitHub): Promise<void> {
    const all = listDeliveries(box.box.store)
    const told: Evidence[] = all
      .slice(this.#seen)
      .flatMap(({ event, body, guid }) => readEvidence(event, JSON.parse(body), guid))
    this.#seen = all.length
    // What failed is found again by observation.
    const work = async (): Promise<void> => {
      if (told.length > 0) await this.#reconciler.reconcile(told).catch(() => undefined)
      const now = this.#clock.now()
      const isVisit = now - this.#visitedAt >= PRODUCTION_SETTINGS.reconcileMs
      if (isVisit) this.#visitedAt = now
      if (isVisit || this.nextAt <= now)
        await this.#reconciler.reconcile(isVisit ? undefined : []).catch(() => undefined)
    }
    await Promise.race([work(), this.#killed])
  }

  #mortal(transport: Transport): Transport {
    const sent = async <T>(send: () => Promise<T>): Promise<T> => {
      if (this.dieAt !== undefined) this.dieAt -= 1
      const isLast = this.dieAt !== undefined && this.dieAt <= 0
      // It may die before its request leaves, or before the answer arrives.
      if (!this.isAlive || (isLast && this.#rng.unit() < 0.5)) return await this.#die()
      const answer = await this.#clock.during(send)
      return isLast || !this.isAlive ? await this.#die() : answer
    }
    return {
      request: (route, parameters) => sent(() => transport.request(route, parameters)),
      graphql: (query, variables) => sent(() => transport.graphql(query, variables)),
    }
  }

  async #die(): Promise<never> {
    this.isAlive = false
    this.#kill()
    return await new Promise(() => undefined)
  }
}

/** A clock that moves only while no request is under way: then to the time for which somebody waits. */
class SharedClock {
  #nowMs = Date.now()
  #underWay = 0
  #sleepers: { readonly at: number; readonly isAlive: () => boolean; readonly wake: () => void }[] = []

  now(): number {
    return this.#nowMs
  }

  pass(ms: number): void {
    this.#nowMs += ms
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1
    try {
      return await work()
    } finally {
      this.#underWay -= 1
    }
  }

  of(isAlive: () => boolean): Clock {
    return {
      now: () => this.#nowMs,
      sleep: (ms) => new Promise((wake) => this.#sleepers.push({ at: this.#nowMs + ms, isAlive, wake })),
      after: () => () => undefined,
      jitter: () => 0.5,
    }
  }

  /** Wakes whoever waits, in order of time, until the work is done. */
  async runUntil(work: Promise<unknown>): Promise<void> {
    let isDone = false
    void work.finally(() => {
      isDone = true
    })
    while (!isDone) {
      await sleep(1)
      if (this.#underWay > 0 || isDone) continue
      const [next] = this.#sleepers.filter(({ isAlive }) => isAlive()).sort((a, b) => a.at - b.at)
      if (next === undefined) continue
      this.#sleepers = this.#sleepers.filter((each) => each !== next)
      this.#nowMs = Math.max(this.#nowMs, next.at)
      next.wake()
    }
    await work
  }
}

/** A repository whose runs take a while: some end between two calls of the app, and some outlast several. */
async function aWorld(clock: SharedClock) {
  const github = await aGitHub({
    files: { ...FILES, '.loreley.yml': CONFIG },
    // Nobody listens there: what is sent is read from the log of deliveries.
    webhookUrl: 'http://127.0.0.1:9/',
    now: () => new Date(clock.now()),
  })
  keepTokens(github)
  const runner = new FakeRunner(github.box)
  runner.modelUsage = { tokens: 90_000, dollars: EACH, runnerMs: 5 }
  runner.isQueueing = true
  github.box.box.runners.add(runner)
  return { github, box: github.box, runner }
}

/** Lets three processes drive one campaign, with every webhook told to each, while requests fail and processes die. */
export async function playProcesses(seed: number): Promise<Played> {
  const rng = rngFor(seed, 0, 'processes')
  const clock = new SharedClock()
  const { github, box, runner } = await aWorld(clock)
  box.settings.faults = { ...NO_FAULTS, webhookLost: 1 }
  const issue = await label(box)
  let kills = 0
  let processes = Array.from({ length: PROCESSES }, () => new Process(github, clock, rng))
  const isOver = async (): Promise<boolean> => (await stateOf(box))?.status.phase === 'finished'
  for (let calls = 0; calls < MOST_CALLS; calls++) {
    const isFaulty = calls < FAULTY_CALLS
    box.settings.faults = isFaulty ? { ...FAULTS, seed } : { ...NO_FAULTS, webhookLost: 1 }
    for (const each of processes) each.dieAt = isFaulty && rng.unit() < 0.25 ? 1 + rng.int(12) : undefined
    await box.settled()
    await clock.runUntil(Promise.all(processes.map((each) => each.call(github))))
    runner.held = isFaulty && rng.unit() < 0.5
    if (!runner.held) runner.release()
    await runner.idle()
    if (calls > FAULTY_CALLS + 5 && (await isOver())) break
    const alive = processes.filter(({ isAlive }) => isAlive)
    kills += PROCESSES - alive.length
    const nextAt = Math.min(...alive.map((each) => each.nextAt), clock.now() + 60_000)
    clock.pass(Math.max(1000, nextAt - clock.now()))
    processes = processes.map((each) => (each.isAlive ? each : new Process(github, clock, rng)))
  }
  box.settings.faults = NO_FAULTS
  const names = runner.started.map(({ displayTitle }) => displayTitle)
  const state = await stateOf(box)
  return {
    limit: LIMIT,
    spent: names.filter((name) => name.startsWith('loreley candidate ')).length * EACH,
    booked: state?.used.dollars ?? 0,
    phase: state?.status.phase,
    doubled: names.filter((name, index) => names.indexOf(name) !== index),
    ordinals: (await ledgerOf(box)).map(({ ordinal }) => ordinal).sort((a, b) => a - b),
    dashboards: (await dashboardsOn(box, issue)).length,
    kills,
  }
}
