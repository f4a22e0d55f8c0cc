import { sign } from 'node:crypto'
import { expect } from 'vitest'
import type { AppSettings } from '../../../src/app/ports.ts'
import type { Evidence } from '../../../src/app/reconcile/evidence.ts'
import type { Outlook } from '../../../src/app/reconcile/outlook.ts'
import { RepositoryReconciler } from '../../../src/app/reconcile/repository-reconciler.ts'
import { findEnvelope } from '../../../src/app/server/envelope.ts'
import { MissedPresses } from '../../../src/app/server/missed-presses.ts'
import { PRODUCTION_SETTINGS } from '../../../src/app/server/settings.ts'
import { readEvent } from '../../../src/app/server/webhook-events.ts'
import { rngFor } from '../../../src/core/rng.ts'
import type { Clock } from '../../../src/github/api/clock.ts'
import { NO_STATE_PACE } from '../../../src/github/api/pace-settings.ts'
import { tokens } from '../../../src/sandbox/state/documents.ts'
import { listDeliveries } from '../../../src/sandbox/webhooks/hooks.ts'
import { answersOn, say, stateOf } from '../../e2e/app-scene.ts'
import { aGitHub, aQuickClock, type TestGitHub } from '../../github/support.ts'
import { portsOf, refusing } from '../a-repository.ts'
import { FakeRunner } from '../fake-runner.ts'
import { FILES } from '../support.ts'

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
  /** Routes that GitHub refuses, each with its status. */
  readonly refusals: Map<string, number>
  /** Reconciles as often as it asks for, until something is true. */
  until(what: string, isTrue: () => Promise<boolean>): Promise<void>
  /** Reconciles once, and tells what that waits for. */
  call(): Promise<Outlook>
  /** Another process takes the place of this one, which has died. */
  restart(): void
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
  // As with --once: a process begins after the one before has ended.
  startMs: 0,
}
const SETTINGS = {
  ...CHAIN_SETTINGS,
  startMs: PRODUCTION_SETTINGS.startMs,
  statePace: NO_STATE_PACE,
  reportMs: 0,
}

export async function aScenario(
  mode: Mode,
  config = FILES['.loreley.yml'],
  changes: Partial<AppSettings> = {},
): Promise<Scenario> {
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
  const refusals = new Map<string, number>()
  const settings = { ...(CHAINS.includes(mode) ? CHAIN_SETTINGS : SETTINGS), ...changes }
  const aProcess = (): RepositoryReconciler => {
    const log = (level: string, message: string, facts?: unknown): void =>
      void (level === 'error' && logged.push(`${message} ${String(Object(facts).error)}`))
    const api = github.api({ clock, transport: refusing(github, refusals) })
    return new RepositoryReconciler(portsOf(github, { api, clock, log, settings }))
  }
  let reconciler = aProcess()
  const webhooks = shuffledWebhooks(github)
  const call = async (): Promise<Outlook> => {
    await box.settled()
    await runner.idle()
    if (CHAINS.includes(mode)) reconciler = aProcess()
    const found = await missedPresses(github, clock)
    const evidence = [...(WITH_WEBHOOKS.includes(mode) ? webhooks() : []), ...found]
    if (WITH_WEBHOOKS.includes(mode) || found.length > 0) await reconciler.reconcile(evidence)
    if (!WITH_WEBHOOKS.includes(mode)) await reconciler.reconcile()
    return CHAINS.includes(mode) ? await reconciler.finish() : reconciler.outlook
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
  return {
    github,
    runner,
    refusals,
    until,
    call,
    settle,
    sleep: clock.sleep,
    restart: () => {
      reconciler = aProcess()
    },
  }
}

/** A campaign of three candidates. */
export const CONFIG = FILES['.loreley.yml'].replace('candidates: 6', 'candidates: 3')

/** Reconciles until a campaign is in a phase. */
export async function untilPhase({ github, until }: Scenario, phase: string, campaign = 'default-1') {
  await until(`the campaign is ${phase}`, async () => {
    return (await stateOf(github.box, campaign))?.status.phase === phase
  })
}

/** Says a command as wendy. Returns the answer. */
export async function ask({ github, until }: Scenario, issue: number, command: string): Promise<string> {
  const before = (await answersOn(github.box, issue)).length
  await say(github.box, 'wendy', issue, command)
  await until(`${command} is answered`, async () => (await answersOn(github.box, issue)).length > before)
  return (await answersOn(github.box, issue))[before] ?? ''
}

/** Days pass here, and an installation's token lives for an hour: to mint others is the transport's business. */
export function keepTokens({ box }: TestGitHub): void {
  const all = tokens(box.box.store)
  for (const token of all.all())
    if ('expiresAt' in token) all.put(token.token, { ...token, expiresAt: '2100-01-01T00:00:00Z' })
}

// As a new process finds them: every press of the last hour, whoever has obeyed it.
async function missedPresses({ box }: TestGitHub, clock: Clock): Promise<readonly Evidence[]> {
  const app = box.client(signJwt(box, clock))
  const presses = new MissedPresses({
    app: { request: (route, parameters) => app.request(route, parameters) },
    clock,
    log: (_level, message, facts) => expect.fail(`${message} ${String(facts?.error)}`),
  })
  const found = await presses.find(() => true)
  return found.flatMap(({ delivery, payload }) => readEvidence('check_run', payload, delivery))
}

// GitHub accepts a token of the App for some minutes only, by its own clock.
function signJwt({ apps, privateKey }: TestGitHub['box'], clock: Clock): string {
  const seconds = Math.floor(clock.now() / 1000)
  const claims = { iss: apps[0]?.id, iat: seconds - 30, exp: seconds + 300 }
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`
}

/** A webhook as evidence; none if it is about no repository. */
export function readEvidence(event: string, payload: unknown, delivery: string): Evidence[] {
  const envelope = findEnvelope(payload)
  return envelope === undefined
    ? []
    : [{ event: readEvent(event, payload), sender: envelope.sender, delivery }]
}

// Each of them twice, and a part of them only at a later call.
function shuffledWebhooks({ box }: TestGitHub): () => readonly Evidence[] {
  const rng = rngFor(1, 0, 'webhooks')
  let seen = 0
  let late: Evidence[] = []
  return () => {
    const all = listDeliveries(box.box.store)
    const news = all
      .slice(seen)
      .flatMap(({ event, body, guid }) => readEvidence(event, JSON.parse(body), guid))
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
