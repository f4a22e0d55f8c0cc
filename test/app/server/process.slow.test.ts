import { spawn } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { findFreePort } from '../../../src/entrypoints/cli/demo/free-port.ts'
import { PERMISSIONS } from '../../../src/github/installation/repository-transport.ts'
import { startTestBox, WEBHOOK_SECRET } from '../../sandbox/support.ts'
import { aFolder } from '../../support/repository.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const MAIN = join(ROOT, 'dist/entrypoints/app/main.js')

/** `npm start` with these variables and none of the machine's. */
function start(variables: Readonly<Record<string, string>>, cwd = aFolder()) {
  const env = { PATH: process.env.PATH ?? '', ...variables }
  const child = spawn(process.execPath, [MAIN], { cwd, env, stdio: 'pipe' })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (said.stdout += chunk))
  child.stderr.on('data', (chunk) => (said.stderr += chunk))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return { child, said, ended }
}

/** What an address answers, once it answers at all. */
async function ask(url: string): Promise<string> {
  const answer = async (): Promise<string> => {
    const response = await fetch(url).catch(() => undefined)
    return response?.ok === true ? await response.text() : ''
  }
  await expect.poll(answer, { timeout: 90_000, interval: 250 }).not.toBe('')
  return await answer()
}

it('serves webhooks, health, readiness and metrics, and logs lines of JSON', async () => {
  const port = await findFreePort()
  const webhookUrl = `http://127.0.0.1:${port}/api/github/webhooks`
  const box = await startTestBox({ permissions: PERMISSIONS, webhookUrl, wellFormed: true })
  const folder = aFolder()
  // As the set-up page leaves it.
  const key = box.privateKey.replaceAll('\n', '\\n')
  writeFileSync(
    join(folder, '.env'),
    `APP_ID=${box.apps[0]?.id}\nPRIVATE_KEY="${key}"\nWEBHOOK_SECRET=${WEBHOOK_SECRET}\n`,
  )
  const variables = {
    NODE_ENV: 'production',
    GITHUB_API_URL: box.apiUrl,
    GITHUB_SERVER_URL: box.url,
    HOST: '127.0.0.1',
    PORT: `${port}`,
  }
  const { said, child, ended } = start(variables, folder)
  const url = `http://127.0.0.1:${port}`
  expect(await ask(`${url}/health`)).toBe('ok\n')
  expect(await ask(`${url}/ready`)).toBe('ok\n')
  await box.as('wendy').rest.issues.create({ owner: 'acme', repo: 'demo', title: 'hello' })
  await expect
    .poll(() => ask(`${url}/metrics`), { timeout: 60_000 })
    .toContain('loreley_webhooks_total{kind="issues"} 1')
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  const lines = said.stdout.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line)).some(({ msg }) => /POST .*webhooks 200/.test(msg))).toBe(true)
  expect(said.stdout + said.stderr).not.toMatch(/the-secret|PRIVATE KEY|ghs_/)
}, 180_000)

it.each([
  ['a key', {}, 'APP_ID and PRIVATE_KEY (or PRIVATE_KEY_PATH) must be set.'],
  ['a webhook secret', { APP_ID: '1', PRIVATE_KEY: 'x' }, 'WEBHOOK_SECRET must be set.'],
  [
    'a webhook secret of its own',
    { APP_ID: '1', PRIVATE_KEY: 'x', WEBHOOK_SECRET: 'development' },
    'WEBHOOK_SECRET must be set.',
  ],
])(
  'refuses to serve in production without %s',
  async (_, variables, message) => {
    const { said, ended } = start({ NODE_ENV: 'production', ...variables })
    expect(await ended).toBe(1)
    expect(said.stderr).toContain(message)
  },
  120_000,
)

it('offers to register the App while there is none', async () => {
  const port = await findFreePort()
  const folder = aFolder()
  copyFileSync(join(ROOT, 'app.yml'), join(folder, 'app.yml'))
  start({ PORT: `${port}`, HOST: '127.0.0.1' }, folder)
  const page = await ask(`http://127.0.0.1:${port}/probot`)
  expect(page).toContain('Register GitHub App')
  expect(page).toContain('"checks":"write"')
  expect(page).toContain('/api/github/webhooks')
}, 120_000)
