import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { REPO, type TestBox } from '../sandbox/support.ts'
import { anApp, FILES } from './support.ts'

const TICK = readFileSync(new URL('../../workflows-templates/loreley-tick.yml', import.meta.url), 'utf8')
const MINUTE = 60_000

/** A campaign a day, some minutes from now: the box keeps real time, and tokens live for an hour of it. */
function daily() {
  const now = Date.now()
  const slot = new Date(now + 10 * MINUTE).setUTCSeconds(0, 0)
  const cron = `${new Date(slot).getUTCMinutes()} ${new Date(slot).getUTCHours()} * * *`
  const files = {
    ...FILES,
    '.loreley.yml': `${FILES['.loreley.yml']}schedule: { cron: '${cron}' }\n`,
    '.github/workflows/loreley-tick.yml': TICK,
  }
  return { slot, files }
}

function nameOf(slot: number): string {
  return `default-${new Date(slot).toISOString().replaceAll(/\D/g, '').slice(0, 12)}`
}

/** The campaigns on the state branch with their phases. */
async function campaigns(box: TestBox): Promise<Record<string, string>> {
  const rita = box.as('rita').rest
  const read = async (path: string) =>
    (await rita.repos.getContent({ ...REPO, ref: 'loreley/state', path }).catch(() => undefined))?.data
  const folders = await read('campaigns')
  const found: Record<string, string> = {}
  for (const { name } of Array.isArray(folders) ? folders : []) {
    const file = await read(`campaigns/${name}/campaign.json`)
    const text =
      file !== undefined && 'content' in file ? Buffer.from(file.content, 'base64').toString() : '{}'
    found[name] = JSON.parse(text).status.phase
  }
  return found
}

const SOON = { timeout: 90_000, interval: 200 }

it('a slot starts one campaign, with two processes and after a restart', async () => {
  const { slot, files } = daily()
  const { box, clock, restart, another } = await anApp({ files, settings: { reconcileMs: 2000 } })
  await another()
  expect(await campaigns(box)).toEqual({})
  clock.pass(slot - clock.now())
  await expect.poll(() => campaigns(box), SOON).toEqual({ [nameOf(slot)]: 'finished' })
  clock.pass(15 * MINUTE)
  await restart()
  await box.settled()
  expect(await campaigns(box)).toEqual({ [nameOf(slot)]: 'finished' })
}, 240_000)

it('the tick workflow wakes a server that overslept its slot', async () => {
  const { slot, files } = daily()
  const { box, runner, clock } = await anApp({ files, settings: { reconcileMs: MINUTE } })
  runner.instead = ({ path }) => (path.endsWith('loreley-tick.yml') ? 'fail' : undefined)
  clock.pass(slot + 17 * MINUTE - clock.now())
  expect(await campaigns(box)).toEqual({})
  const tick = { ...REPO, workflow_id: 'loreley-tick.yml', ref: 'main' }
  await box.as('wendy').rest.actions.createWorkflowDispatch(tick)
  await expect.poll(() => campaigns(box), SOON).toEqual({ [nameOf(slot)]: 'finished' })
}, 240_000)
