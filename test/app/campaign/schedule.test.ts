import { expect, it } from 'vitest'
import { aRepository } from '../a-repository.ts'
import { FILES } from '../support.ts'

const SUITES = 'GET /repos/{owner}/{repo}/commits/{ref}/check-suites'
const HOUR_MS = 3_600_000

it('a scheduled start that fails is tried again after a while, not at once', async () => {
  // Far enough off that no earlier slot is due.
  const slot = Math.ceil(Date.now() / HOUR_MS + 4) * HOUR_MS
  const schedule = `schedule: { cron: '0 ${new Date(slot).getUTCHours()} * * *' }\n`
  const config = `${FILES['.loreley.yml']}${schedule}`
  const { host, tools, refusals } = await aRepository({ ...FILES, '.loreley.yml': config })
  const { clock, store } = tools
  await clock.sleep(slot - clock.now())
  refusals.set(SUITES, 403)
  await host.reconcile([])
  expect(await store.list()).toEqual([])
  expect(host.outlook.nextAt, 'it does not ask for the next call at once').toBeGreaterThan(clock.now())

  refusals.clear()
  await clock.sleep(5 * 60_000)
  await host.reconcile([])
  expect(await store.list()).toHaveLength(1)
})
