import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { isMutation, startCountingProxy } from '../../../bench/counting-proxy.ts'
import { serveApp } from '../../../src/app/server/serve.ts'
import { PRODUCTION_SETTINGS } from '../../../src/app/server/settings.ts'
import { findFreePort } from '../../../src/entrypoints/cli/demo/free-port.ts'
import { GITHUB_PACE, GITHUB_STATE_PACE } from '../../../src/github/api/pace-settings.ts'
import { PERMISSIONS } from '../../../src/github/installation/repository-transport.ts'
import { aConfigFile, ledgerOf, stateOf, WORKFLOW, WORKFLOW_PATH } from '../../e2e/app-scene.ts'
import { startTestBox, WEBHOOK_SECRET } from '../../sandbox/support.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'
import { FakeRunner } from '../fake-runner.ts'
import { FILES, label } from '../support.ts'

const MINUTE_MS = 60_000
const MOST_STEPS = 3000

/** The app with production's settings, on a clock that moves on when nobody has anything to do. */
async function aScene(config: string) {
  const port = await findFreePort()
  const webhookUrl = `http://127.0.0.1:${port}/api/github/webhooks`
  const files = { ...FILES, '.loreley.yml': config, [WORKFLOW_PATH]: WORKFLOW }
  const box = await startTestBox({ files, permissions: PERMISSIONS, webhookUrl, wellFormed: true })
  const runner = new FakeRunner(box)
  box.box.runners.add(runner)
  const proxy = await startCountingProxy(box.apiUrl)
  const clock = new VirtualClock(Date.now())
  const app = await serveApp({
    appId: box.apps[0]?.id ?? 0,
    privateKey: box.privateKey,
    secret: WEBHOOK_SECRET,
    baseUrl: proxy.url,
    webUrl: box.url,
    host: '127.0.0.1',
    port,
    clock,
    pace: GITHUB_PACE,
    settings: PRODUCTION_SETTINGS,
    logLevel: 'error',
  })
  onTestFinished(async () => {
    await app.stop()
    await proxy.close()
  })
  const becomeIdle = async (): Promise<void> => {
    for (let calm = 0; calm < 4; ) {
      await box.settled()
      await wait(10)
      // A write may have its turn and not have left yet: it would be counted at a later moment.
      const isBusy = app.app.workload.requests > 0 || proxy.inFlight > 0 || !runner.isIdle
      calm = isBusy ? 0 : calm + 1
    }
  }
  return { box, runner, proxy, clock, app, becomeIdle }
}

// The state with its refs in one request, the state alone, or refs alone: each is a push.
const isPush = (kind: string): boolean => /^MUTATION .*\b(createCommitOnBranch|updateRefs)\b/.test(kind)

/** What was asked for at one moment of the clock. */
interface Moment {
  readonly at: number
  readonly writes: number
  readonly pushes: number
}

/** The most of something within any minute. */
function mostInMinute(moments: readonly Moment[], count: (moment: Moment) => number): number {
  const sums = moments.map(({ at: from }) =>
    moments
      .filter(({ at }) => at >= from && at < from + MINUTE_MS)
      .reduce((sum, each) => sum + count(each), 0),
  )
  return Math.max(...sums)
}

it('keeps production’s pace: results are gathered into few pushes, and writes stay within their limits', async () => {
  const { box, runner, proxy, clock, app, becomeIdle } = await aScene(
    aConfigFile('candidates: 24, parallel: 6'),
  )
  proxy.takeCounts()
  await label(box)
  const moments: Moment[] = []
  const isOver = async () => (await stateOf(box))?.status.phase === 'finished' && app.app.isIdle
  for (let step = 0; step < MOST_STEPS && !(await isOver()); step++) {
    await becomeIdle()
    const counts = [...proxy.takeCounts()]
    const sum = (wanted: (kind: string) => boolean): number =>
      counts.filter(([kind]) => wanted(kind)).reduce((total, [, count]) => total + count, 0)
    moments.push({
      at: clock.now(),
      writes: sum(isMutation),
      pushes: sum(isPush),
    })
    expect(clock.advance(), 'somebody waits for something').toBe(true)
  }
  expect(await stateOf(box)).toMatchObject({ finished: 24, status: { phase: 'finished' } })
  const results = (await ledgerOf(box)).length
  const pushes = moments.reduce((sum, moment) => sum + moment.pushes, 0)
  expect(runner.started.length).toBe(results)
  expect(pushes, 'results that come together are one push').toBeLessThan(results)
  expect(mostInMinute(moments, (moment) => moment.pushes)).toBeLessThanOrEqual(
    GITHUB_STATE_PACE.pushesPerMinute,
  )
  const { burst, writesPerMinute } = GITHUB_PACE
  expect(mostInMinute(moments, (moment) => moment.writes)).toBeLessThanOrEqual(burst + writesPerMinute)
  expect(
    moments.filter(({ writes }) => writes > burst),
    'no burst is larger than allowed',
  ).toEqual([])
}, 180_000)
