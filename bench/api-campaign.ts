import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Octokit } from '@octokit/rest'
import { type RunningApp, serveApp } from '../src/app/server/serve.ts'
import { PRODUCTION_SETTINGS } from '../src/app/server/settings.ts'
import { EVENTS } from '../src/app/server/webhook-events.ts'
import { findFreePort } from '../src/entrypoints/cli/demo/free-port.ts'
import { GITHUB_PACE } from '../src/github/api/pace-settings.ts'
import { PERMISSIONS } from '../src/github/installation/repository-transport.ts'
import { type RunningBox, startBox } from '../src/sandbox/server.ts'
import { VirtualClock } from '../test/support/virtual-clock.ts'
import type { BenchOptions } from './bench.ts'
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts'
import { OfflineRunner } from './offline-runner.ts'

const EXAMPLE = fileURLToPath(new URL('../examples/circle-packing', import.meta.url))
const SECRET = 'the-secret'
const REPO = { owner: 'acme', repo: 'demo' }
/** A run on a hosted runner: queued, two jobs, a model that thinks. */
export const RUN_MINUTES = { least: 2, most: 6 }

const MINUTE_MS = 60_000
const CONFIRM_MS = 15 * MINUTE_MS

const WORKFLOW = `on:
  workflow_dispatch:
    inputs: { kind: {}, candidate: {}, state: {}, root: {}, base: {}, nonce: {} }
jobs: {}
`

export interface ApiCounts {
  readonly candidates: number
  readonly byKind: ReadonlyMap<string, number>
  /** How long the campaign took on its clock. */
  readonly hours: number
}

interface World {
  readonly clock: VirtualClock
  readonly box: RunningBox
  readonly proxy: CountingProxy
  readonly runner: OfflineRunner
  readonly app: RunningApp
}

/** Runs a campaign of so many candidates at production's pace, and counts every request that the app made for it. */
export async function countRequests(
  { place, path, log }: BenchOptions,
  { candidates, parallel }: { readonly candidates: number; readonly parallel: number },
): Promise<ApiCounts> {
  const clock = new VirtualClock()
  // Probot signs with the machine's time; the box must find it right.
  const { now } = Date
  Date.now = () => clock.now()
  const world = await open(clock, { place: join(place, `at-${parallel}`), path, candidates, parallel })
  try {
    world.proxy.takeCounts()
    const begun = clock.now()
    await play(world, await start(world.box), log)
    return { candidates, byKind: world.proxy.takeCounts(), hours: (clock.now() - begun) / 3_600_000 }
  } finally {
    await world.runner.close()
    await world.app.stop()
    await world.proxy.close()
    await world.box.close()
    // Last of all: what the app still asks for is signed with the clock's time.
    Date.now = now
  }
}

interface WorldOptions {
  readonly place: string
  readonly path: string
  readonly candidates: number
  readonly parallel: number
}

async function open(clock: VirtualClock, options: WorldOptions): Promise<World> {
  const { place, path } = options
  const port = await findFreePort()
  const box = await startBox({
    folder: join(place, 'box'),
    environment: process.env,
    now: () => new Date(clock.now()),
    seed: {
      repositories: [{ name: REPO.repo, files: filesOf(options) }],
      apps: [
        {
          slug: 'loreley',
          permissions: PERMISSIONS,
          events: EVENTS,
          webhookSecret: SECRET,
          webhookUrl: `http://127.0.0.1:${port}/api/github/webhooks`,
        },
      ],
    },
  })
  const runner = new OfflineRunner({
    box,
    clock,
    minutes: RUN_MINUTES,
    cacheFolder: join(place, 'cache'),
    path,
  })
  box.box.runners.add(runner)
  const proxy = await startCountingProxy(box.apiUrl)
  const [registered] = box.apps
  const app = await serveApp({
    appId: registered?.id ?? 0,
    privateKey: registered?.privateKey ?? '',
    secret: SECRET,
    baseUrl: proxy.url,
    webUrl: box.url,
    host: '127.0.0.1',
    port,
    clock,
    pace: GITHUB_PACE,
    settings: PRODUCTION_SETTINGS,
    logLevel: 'error',
  })
  return { clock, box, proxy, runner, app }
}

function filesOf({ candidates, parallel }: WorldOptions): Record<string, string> {
  const names = readdirSync(EXAMPLE, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const files = names.map(({ parentPath, name }) => {
    const path = join(parentPath, name)
    return [path.slice(EXAMPLE.length + 1), readFileSync(path, 'utf8')] as const
  })
  const all = Object.fromEntries(files)
  const limits = `limits:\n  candidates: ${candidates}\n  parallel: ${parallel}\n`
  const config = (all['.loreley.yml'] ?? '').replace(/^limits:\n(?: .*\n)+/m, limits)
  return { ...all, '.loreley.yml': config, '.github/workflows/loreley.yml': WORKFLOW }
}

/** Puts the label on an issue, and gives a look at what the app says there. */
async function start(box: RunningBox): Promise<() => Promise<string>> {
  const token = box.users.find(({ login }) => login === 'wendy')?.token
  const wendy = new Octokit({ baseUrl: box.apiUrl, auth: token })
  const { data } = await wendy.request('POST /repos/{owner}/{repo}/issues', { ...REPO, title: 'Pack more' })
  const issue = { ...REPO, issue_number: data.number }
  await wendy.request('POST /repos/{owner}/{repo}/labels', { ...REPO, name: 'loreley' })
  const labels = ['loreley']
  await wendy.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', { ...issue, labels })
  return async () => {
    const said = await wendy.request('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', issue)
    return said.data.map(({ body }) => body).join('\n')
  }
}

/** Moves the clock on whenever nobody has anything to do, until the campaign has ended and its winners are confirmed. */
async function play(
  world: World,
  look: () => Promise<string>,
  log: (message: string) => void,
): Promise<void> {
  const { clock } = world
  let endsAt = Number.POSITIVE_INFINITY
  for (let looksAt = 0; clock.now() < endsAt; ) {
    await becomeIdle(world)
    if (!clock.advance()) throw new Error('nobody waits for anything, and the campaign has not ended')
    if (endsAt < Number.POSITIVE_INFINITY || clock.now() < looksAt) continue
    looksAt = clock.now() + 5 * MINUTE_MS
    const said = await look()
    log(/^.*candidates.*$/m.exec(said)?.[0] ?? 'it begins')
    if (said.includes('Paused after')) throw new Error('the campaign came to a halt')
    if (said.includes('Finished after')) endsAt = clock.now() + CONFIRM_MS
  }
}

async function becomeIdle({ box, proxy, runner }: World): Promise<void> {
  for (let calm = 0; calm < 4; ) {
    await box.settled()
    await wait(3)
    calm = proxy.inFlight > 0 || runner.working > 0 ? 0 : calm + 1
  }
}
