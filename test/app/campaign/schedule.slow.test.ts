import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ask, dashboardOn, stateOf } from '../../e2e/app-scene.ts'
import { REPO, type TestBox } from '../../sandbox/support.ts'
import { anApp, FILES } from '../support.ts'

const TICK = readFileSync(new URL('../../../workflows-templates/loreley-tick.yml', import.meta.url), 'utf8')
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

it('a slot does not go past a checkpoint: people do', async () => {
  const config = FILES['.loreley.yml'].replace('parallel: 2', 'parallel: 2, checkpoint: 2')
  const often = `${config}schedule: { cron: '*/10 * * * *' }\n`
  const { box, clock, app, quiet } = await anApp({ files: { ...FILES, '.loreley.yml': often } })
  // The slot that has just passed starts it.
  await expect.poll(async () => Object.values(await campaigns(box)), SOON).toEqual(['paused'])
  await quiet()
  const before = await campaigns(box)
  const [name] = Object.keys(before)
  const finished = (await stateOf(box, name))?.finished
  clock.pass(10 * MINUTE)
  await app.app.watch()
  await quiet()
  expect(await campaigns(box)).toEqual(before)
  expect((await stateOf(box, name))?.finished).toBe(finished)

  // They do on the one issue of the schedule, which later campaigns use too.
  const issue = (await stateOf(box, name))?.control.direction?.issue ?? 0
  expect((await dashboardOn(box, issue)).body).toContain('loreley:resume')
  expect(await ask(box, 'rita', issue, '/loreley resume')).toMatch(/^😕/)
  const isFinished = async () => {
    const { phase } = (await stateOf(box, name))?.status ?? {}
    if (phase === 'paused') expect(await ask(box, 'wendy', issue, '/loreley resume')).toMatch(/^✅/)
    return phase === 'finished'
  }
  await expect.poll(isFinished, SOON).toBe(true)
  await quiet()
  clock.pass(10 * MINUTE)
  await app.app.watch()
  await expect.poll(async () => Object.keys(await campaigns(box)).length, SOON).toBe(2)
  const [, next] = Object.keys(await campaigns(box))
  await expect.poll(async () => (await stateOf(box, next))?.control.direction?.issue, SOON).toBe(issue)
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
