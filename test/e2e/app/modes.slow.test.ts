import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { serveApp } from '../../../src/app/server/serve.ts'
import { BOX_SETTINGS } from '../../../src/app/server/settings.ts'
import { findFreePort } from '../../../src/entrypoints/cli/demo/free-port.ts'
import { NO_PACE } from '../../../src/github/api/pace-settings.ts'
import { PERMISSIONS } from '../../../src/github/installation/repository-transport.ts'
import { type Faults, NO_FAULTS } from '../../../src/sandbox/settings.ts'
import { label } from '../../app/support.ts'
import { REPO, startTestBox, type TestBox, WEBHOOK_SECRET } from '../../sandbox/support.ts'
import { aFolder } from '../../support/repository.ts'
import { builtAction, TEMPLATE } from '../action-box.ts'
import { answersOn, dashboardOn, ledgerOf, PATIENCE, stateOf } from '../app-scene.ts'

const MAIN = join(import.meta.dirname, '../../../dist/entrypoints/app/main.js')
const MOST_PROCESSES = 20

const FILES = {
  '.github/workflows/loreley.yml': TEMPLATE,
  '.loreley.yml': `goal: Other numbers.
scope: { editable: [src/**] }
objectives: [{ metric: score, direction: maximize }]
evaluation: { command: node "$LORELEY_TRUSTED/evaluate.mjs" }
limits: { candidates: 2, parallel: 2 }
`,
  'src/a.js': 'export const a = 12\nexport const b = 30\n',
  'evaluate.mjs': `import { pathToFileURL } from 'node:url'
const { a, b } = await import(pathToFileURL(process.cwd() + '/src/a.js'))
console.log(1 + Math.abs(42 - a - b))
`,
}

/** A box that runs the real workflow with the built action, and the address that its webhooks go to. */
async function aBox(faults: Partial<Faults>): Promise<{ readonly box: TestBox; readonly port: number }> {
  const port = await findFreePort()
  const box = await startTestBox({
    files: FILES,
    permissions: PERMISSIONS,
    webhookUrl: `http://127.0.0.1:${port}/api/github/webhooks`,
    wellFormed: true,
    runner: { path: process.env.PATH ?? '' },
    settings: {
      actionFolders: { 'loreley-evolution/loreley': builtAction() },
      faults: { ...NO_FAULTS, ...faults },
    },
  })
  return { box, port }
}

async function draftsOf(box: TestBox) {
  const { data } = await box.as('rita').rest.pulls.list(REPO)
  return data.filter(({ draft }) => draft)
}

/** The campaign measured what it may, once each, and shows its draft on the issue. */
async function expectDraft(box: TestBox, issue: number): Promise<void> {
  const [draft, ...others] = await draftsOf(box)
  expect(others).toEqual([])
  expect(await stateOf(box)).toMatchObject({ finished: 2, status: { phase: 'finished' } })
  const ordinals = (await ledgerOf(box)).map(({ ordinal }) => ordinal)
  expect(ordinals).toEqual([...new Set(ordinals)])
  expect((await dashboardOn(box, issue)).body).toContain(`#${draft?.number}`)
  expect(await answersOn(box, issue)).toEqual([])
}

it.each<[string, Partial<Faults>]>([
  ['though every webhook is lost', { webhookLost: 1 }],
  ['though webhooks are doubled and out of order', { webhookDoubled: 1, webhookReordered: 0.5 }],
])(
  'a label leads to a draft pull request %s',
  async (_how, faults) => {
    const { box, port } = await aBox(faults)
    const app = await serveApp({
      appId: box.apps[0]?.id ?? 0,
      privateKey: box.privateKey,
      secret: WEBHOOK_SECRET,
      baseUrl: box.apiUrl,
      webUrl: box.url,
      host: '127.0.0.1',
      port,
      pace: NO_PACE,
      settings: { ...BOX_SETTINGS, reportMs: 0, reconcileMs: 2000 },
      logLevel: 'error',
    })
    onTestFinished(() => app.stop())
    const issue = await label(box)
    const isShown = async () => /#\d/.test((await dashboardOn(box, issue)).body)
    await expect.poll(async () => (await draftsOf(box)).length > 0 && (await isShown()), PATIENCE).toBe(true)
    await expectDraft(box, issue)
  },
  300_000,
)

it('a label leads to a draft pull request with a chain of processes that each end', async () => {
  const { box } = await aBox({ webhookLost: 1 })
  const issue = await label(box)
  const cwd = aFolder()
  const env = {
    PATH: process.env.PATH ?? '',
    APP_ID: `${box.apps[0]?.id}`,
    PRIVATE_KEY: box.privateKey,
    WEBHOOK_SECRET,
    GITHUB_API_URL: box.apiUrl,
    GITHUB_SERVER_URL: box.url,
  }
  const said: unknown[] = []
  for (let processes = 0; processes < MOST_PROCESSES && (await draftsOf(box)).length === 0; processes++) {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, '--once'], { cwd, env })
    said.push(
      ...stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    )
    await box.runner?.settled()
  }
  await expectDraft(box, issue)
  expect(said[0]).toMatchObject({
    msg: 'reconciled',
    repository: 'acme/demo',
    waitsFor: ['runs', 'people'],
    nextAt: expect.any(String),
  })
}, 300_000)
