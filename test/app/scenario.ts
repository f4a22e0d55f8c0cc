import { expect } from 'vitest'
import type { Evidence } from '../../src/app/reconcile/evidence.ts'
import type { Outlook } from '../../src/app/reconcile/outlook.ts'
import { RepositoryReconciler } from '../../src/app/reconcile/repository-reconciler.ts'
import { findEnvelope } from '../../src/app/server/envelope.ts'
import { PRODUCTION_SETTINGS } from '../../src/app/server/settings.ts'
import { readEvent } from '../../src/app/server/webhook-events.ts'
import { rngFor } from '../../src/core/rng.ts'
import { NO_STATE_PACE } from '../../src/github/api/pace-settings.ts'
import { tokens } from '../../src/sandbox/state/documents.ts'
import { listDeliveries } from '../../src/sandbox/webhooks/hooks.ts'
import { aGitHub, aQuickClock, type TestGitHub } from '../github/support.ts'
import { portsOf } from './a-repository.ts'
import { FakeRunner } from './fake-runner.ts'
import { FILES } from './support.ts'

/** How the app hears of things, and how long a process lives. */
export const MODES = [
  'with every webhook dropped',
  'with every webhook doubled and out of order',
  'as a chain of processes that each reconcile once',
] as const
/** Every new process hears of what an earlier one has obeyed. */
export const CHAIN_WITH_WEBHOOKS = 'as a chain of processes that also hear webhooks, doubled and late'
export type Mode = (typeof MODES)[number] | typeof CHAIN_WITH_WEBHOOKS

/** A repository whose app is called only when it asked for it, on a clock on which nobody waits. */
export interface Scenario {
  readonly github: TestGitHub
  readonly runner: FakeRunner
  /** Reconciles as often as it asks for, until something is true. */
  until(what: string, isTrue: () => Promise<boolean>): Promise<void>
  /** Reconciles once, and tells what that waits for. */
  call(): Promise<Outlook>
  /** Lets time pass. */
  sleep(ms: number): Promise<void>
  /** Reconciles until there is nothing left to do. */
  settle(): Promise<void>
}

const MOST_CALLS = 60
const CHAINS: readonly Mode[] = [MODES[2], CHAIN_WITH_WEBHOOKS]
const WITH_WEBHOOKS: readonly Mode[] = [MODES[1], CHAIN_WITH_WEBHOOKS]
const CHAIN_SETTINGS = {
  ...PRODUCTION_SETTINGS,
  // Runs that a test holds back would be given up before people are looked at.
  fullReconcileMs: PRODUCTION_SETTINGS.reconcileMs,
}
const SETTINGS = { ...CHAIN_SETTINGS, statePace: NO_STATE_PACE, reportMs: 0 }

export async function aScenario(mode: Mode, config = FILES['.loreley.yml']): Promise<Scenario> {
  const clock = aQuickClock()
  const github = await aGitHub({
    files: { ...FILES, '.loreley.yml': config },
    // Nobody listens there: what is sent is read from the log of deliveries.
    webhookUrl: 'http://127.0.0.1:9/',
    now: () => new Date(clock.now()),
  })
  const { box } = github
  box.settings.faults = { ...box.settings.faults, webhookLost: 1 }
  keepTokens(github)
  const runner = new FakeRunner(box)
  box.box.runners.add(runner)
  const logged: string[] = []
  const settings = CHAINS.includes(mode) ? CHAIN_SETTINGS : SETTINGS
  const aProcess = (): RepositoryReconciler => {
    const log = (level: string, message: string, facts?: unknown): void =>
      void (level === 'error' && logged.push(`${message} ${String(Object(facts).error)}`))
    return new RepositoryReconciler(portsOf(github, { api: github.api({ clock }), clock, log, settings }))
  }
  let reconciler = aProcess()
  const webhooks = shuffledWebhooks(github)
  const call = async (): Promise<Outlook> => {
    await box.settled()
    await runner.idle()
    const evidence = WITH_WEBHOOKS.includes(mode) ? webhooks() : undefined
    if (!CHAINS.includes(mode)) return await reconciler.reconcile(evidence)
    reconciler = aProcess()
    await reconciler.reconcile(evidence)
    return await reconciler.finish()
  }
  const until: Scenario['until'] = async (what, isTrue) => {
    for (let calls = 0; calls < MOST_CALLS; calls++) {
      const { nextAt } = await call()
      if (await isTrue()) return
      await clock.sleep(Math.max(1000, nextAt - clock.now()))
    }
    expect.fail(`after ${MOST_CALLS} calls it is not true that ${what}: ${logged.slice(-5).join('; ')}`)
  }
  const settle = async (): Promise<void> => {
    for (let calls = 0, head = ''; calls < MOST_CALLS; calls++) {
      const before = head
      const { nextAt } = await call()
      await clock.sleep(Math.max(1000, nextAt - clock.now()))
      head = github.git('rev-parse', 'loreley/state')
      if (head === before) return
    }
    expect.fail(`after ${MOST_CALLS} calls the state still moves: ${logged.slice(-5).join('; ')}`)
  }
  return { github, runner, until, call, settle, sleep: clock.sleep }
}

// Days pass here, and an installation's token lives for an hour: to mint others is the transport's business.
function keepTokens({ box }: TestGitHub): void {
  const all = tokens(box.box.store)
  for (const token of all.all())
    if ('expiresAt' in token) all.put(token.token, { ...token, expiresAt: '2100-01-01T00:00:00Z' })
}

// Each of them twice, and a part of them only at a later call.
function shuffledWebhooks({ box }: TestGitHub): () => readonly Evidence[] {
  const rng = rngFor(1, 0, 'webhooks')
  let seen = 0
  let late: Evidence[] = []
  return () => {
    const all = listDeliveries(box.box.store)
    const news = all.slice(seen).flatMap(({ event, body }): Evidence[] => {
      const payload: unknown = JSON.parse(body)
      const envelope = findEnvelope(payload)
      return envelope === undefined ? [] : [{ event: readEvent(event, payload), sender: envelope.sender }]
    })
    seen = all.length
    const mixed = [...late, ...news, ...news]
      .map((evidence) => ({ evidence, key: rng.unit() }))
      .sort((a, b) => a.key - b.key)
      .map(({ evidence }) => evidence)
    const isLater = mixed.map(() => rng.unit() < 0.2)
    late = mixed.filter((_, index) => isLater[index])
    return mixed.filter((_, index) => !isLater[index])
  }
}
