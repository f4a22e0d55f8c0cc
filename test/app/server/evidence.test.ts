import { Probot, ProbotOctokit } from 'probot'
import { expect, it, onTestFinished } from 'vitest'
import { LoreleyApp } from '../../../src/app/server/app.ts'
import { createLog } from '../../../src/app/server/log.ts'
import { BOX_SETTINGS } from '../../../src/app/server/settings.ts'
import { NO_PACE } from '../../../src/github/api/pace-settings.ts'
import { listDeliveries } from '../../../src/sandbox/webhooks/hooks.ts'
import { aGitHub, aQuickClock } from '../../github/support.ts'
import { WEBHOOK_SECRET } from '../../sandbox/support.ts'
import { FILES, label } from '../support.ts'

/** The app without a server: it gets the webhooks that a test hands over. `outages` is how often GET /app fails. */
async function anAppWithOutages(outages: number) {
  // Nobody listens there: what is sent is read from the log of deliveries.
  const github = await aGitHub({ files: FILES, webhookUrl: 'http://127.0.0.1:9/' })
  const { box } = github
  box.settings.faults = { ...box.settings.faults, webhookLost: 1 }
  let asked = 0
  const flaky: typeof fetch = async (url, init) => {
    if (!String(url).endsWith('/app')) return await fetch(url, init)
    asked += 1
    if (asked <= outages) throw new Error('GitHub is down')
    return await fetch(url, init)
  }
  const Octokit = ProbotOctokit.defaults((defaults: object) => ({
    ...defaults,
    throttle: { enabled: false },
    retry: { enabled: false },
    request: { fetch: flaky },
  }))
  const probot = new Probot({
    appId: box.apps[0]?.id ?? 0,
    privateKey: box.privateKey,
    secret: WEBHOOK_SECRET,
    baseUrl: box.apiUrl,
    log: createLog({ level: 'fatal', secrets: [] }),
    Octokit,
  })
  const clock = aQuickClock()
  const app = new LoreleyApp({
    baseUrl: box.apiUrl,
    webUrl: box.url,
    pace: NO_PACE,
    settings: BOX_SETTINGS,
    clock,
  })
  await app.load(probot, { cwd: '.', addHandler: () => undefined })
  onTestFinished(() => app.stop())
  const hear = async (): Promise<void> => {
    const told = listDeliveries(box.box.store).find(({ body }) => JSON.parse(body).action === 'labeled')
    if (told === undefined) expect.fail('nobody put a label on')
    await probot.receive({ id: told.guid, name: 'issues', payload: JSON.parse(told.body) })
  }
  return { github, hear, asked: () => asked }
}

it('a label is granted though GitHub was down when its webhook came', async () => {
  const { github, hear } = await anAppWithOutages(2)
  await label(github.box)
  await github.box.settled()
  await hear()
  await expect.poll(() => github.store().list(), { timeout: 10_000 }).toEqual(['default-1'])
})

it('evidence that nobody can take is let go after some tries', async () => {
  const { github, hear, asked } = await anAppWithOutages(100)
  await label(github.box)
  await github.box.settled()
  await hear()
  await expect.poll(asked, { timeout: 10_000 }).toBe(6)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(asked()).toBe(6)
})
