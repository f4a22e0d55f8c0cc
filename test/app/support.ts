import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect } from 'vitest'
import type { AppSettings } from '../../src/app/ports.ts'
import { type RunningApp, serveApp } from '../../src/app/server/serve.ts'
import { BOX_SETTINGS } from '../../src/app/server/settings.ts'
import { findFreePort } from '../../src/entrypoints/cli/demo/free-port.ts'
import { type Clock, SYSTEM_CLOCK } from '../../src/github/api/clock.ts'
import { NO_PACE } from '../../src/github/api/pace-settings.ts'
import { PERMISSIONS } from '../../src/github/installation/repository-transport.ts'
import { REPO, startTestBox, type TestBox, type TestBoxOptions, WEBHOOK_SECRET } from '../sandbox/support.ts'
import { FakeRunner } from './fake-runner.ts'

const CONFIG = `goal: More.
scope: { editable: [src/**] }
evaluation: { command: node bench.mjs }
objectives: [{ metric: score, direction: maximize }]
search: { cells: 9, axes: [{ metric: x, min: 0, max: 1 }, { metric: y, min: 0, max: 1 }] }
limits: { candidates: 6, parallel: 2 }
`

const WORKFLOW = `name: Loreley
on:
  workflow_dispatch:
    inputs: { kind: {}, candidate: {}, state: {}, root: {}, base: {}, nonce: {} }
jobs: {}
`

/** What the app needs in a repository, and a number that candidates raise. */
export const FILES = {
  '.loreley.yml': CONFIG,
  '.github/workflows/loreley.yml': WORKFLOW,
  'src/a.txt': '1\n',
  'bench.mjs': 'console.log(1)\n',
}

const SETTINGS: AppSettings = { ...BOX_SETTINGS, reportMs: 0, reconcileMs: 3_600_000, searchMs: 0 }

/** A box with the app installed on acme/demo, and a runner that needs no processes. */
export interface TestApp {
  readonly box: TestBox
  readonly runner: FakeRunner
  readonly app: RunningApp
  /** Resolves when no webhook is under way, no run is open and the app has nothing to do. */
  quiet(): Promise<void>
  /** Another process of the app, as after a restart. */
  restart(changes?: Partial<AppSettings>): Promise<void>
  /** One more process of the app at the same time, which no webhook reaches. */
  another(): Promise<void>
  /** The app's clock: ours, and whatever time was made to pass. */
  readonly clock: Clock & { pass(ms: number): void }
  /** Sends the app a webhook that the box itself would not send. */
  deliver(event: string, payload: Readonly<Record<string, unknown>>): Promise<void>
}

export type TestAppOptions = TestBoxOptions & {
  readonly settings?: Partial<AppSettings>
  /** How the app waits, if not for as long as it says. */
  readonly sleep?: Clock['sleep']
}

const running: { stop(): Promise<void> }[] = []
const runners: FakeRunner[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
  // A run that is still ending needs the box, which is closed after this.
  for (const runner of runners.splice(0)) await runner.idle()
})

export async function anApp(options: TestAppOptions = {}): Promise<TestApp> {
  const port = await findFreePort()
  const webhookUrl = `http://127.0.0.1:${port}/api/github/webhooks`
  const { settings, sleep: wait = SYSTEM_CLOCK.sleep, ...boxOptions } = options
  const box = await startTestBox({
    files: FILES,
    permissions: PERMISSIONS,
    webhookUrl,
    wellFormed: true,
    ...boxOptions,
  })
  const runner = new FakeRunner(box)
  box.box.runners.add(runner)
  runners.push(runner)
  const clock = aShiftedClock(wait)
  let app = await serve(box, { port, clock, settings })
  return {
    clock,
    another: async () => void (await serve(box, { port: await findFreePort(), clock, settings })),
    deliver: (event, payload) => deliver(box, event, payload),
    box,
    runner,
    get app() {
      return app
    },
    quiet: async () => {
      // One hands over to the other through sockets, where neither sees it: only a while of calm is an end.
      for (let calm = 0; calm < 5; calm++) {
        const before = runner.started.length
        await box.settled()
        await runner.idle()
        await app.app.settled()
        await sleep(40)
        if (!runner.isIdle || !app.app.isIdle || runner.started.length > before) calm = 0
      }
    },
    restart: async (changes) => {
      await app.stop()
      running.splice(running.indexOf(app), 1)
      app = await serve(box, { port, clock, settings: { ...settings, ...changes } })
    },
  }
}

interface Serving {
  readonly port: number
  readonly clock: Clock
  readonly settings?: Partial<AppSettings> | undefined
}

async function serve(box: TestBox, { port, clock, settings }: Serving): Promise<RunningApp> {
  const app = await serveApp({
    appId: box.apps[0]?.id ?? 0,
    privateKey: box.privateKey,
    secret: WEBHOOK_SECRET,
    baseUrl: box.apiUrl,
    webUrl: box.url,
    host: '127.0.0.1',
    port,
    clock,
    pace: NO_PACE,
    settings: { ...SETTINGS, ...settings },
    logLevel: 'error',
  })
  running.push(app)
  return app
}

function aShiftedClock(wait: Clock['sleep']): TestApp['clock'] {
  let passedMs = 0
  return {
    ...SYSTEM_CLOCK,
    sleep: wait,
    now: () => SYSTEM_CLOCK.now() + passedMs,
    pass: (ms) => {
      passedMs += ms
    },
  }
}

async function deliver(box: TestBox, event: string, payload: Readonly<Record<string, unknown>>) {
  const { data: repository } = await box.as('olivia').rest.repos.get(REPO)
  const [installation] = (await box.app().rest.apps.listInstallations()).data
  box.box.deliverer.deliver({
    hook: { kind: 'app', appId: box.apps[0]?.id ?? 0 },
    event,
    payload: { repository, installation: { id: installation?.id }, ...payload },
    installationId: installation?.id ?? null,
    repositoryId: repository.id,
  })
}

/** All comments of an issue, in one text. */
async function readComments(box: TestBox, issue: number): Promise<string> {
  const { data } = await box
    .as('rita')
    .rest.issues.listComments({ ...REPO, issue_number: issue, per_page: 100 })
  return data.map(({ body }) => body).join('\n\n')
}

/** Waits until the comments of an issue say something, and fails with all of them when they never do. */
export async function awaitComment(box: TestBox, issue: number, text: string): Promise<void> {
  await expect.poll(() => readComments(box, issue), { timeout: 60_000, interval: 100 }).toContain(text)
}

/** Opens an issue as wendy and puts the label on it as the given person. */
export async function label(box: TestBox, by = 'wendy'): Promise<number> {
  const { data } = await box
    .as('wendy')
    .rest.issues.create({ ...REPO, title: 'Faster, please', body: 'Try hard.' })
  await box
    .as('wendy')
    .rest.issues.createLabel({ ...REPO, name: 'loreley' })
    .catch(() => undefined)
  await box.as(by).rest.issues.addLabels({ ...REPO, issue_number: data.number, labels: ['loreley'] })
  return data.number
}
