import { expect, it } from 'vitest'
import { MissedPresses } from '../../../src/app/server/missed-presses.ts'
import { aGitHub, aQuickClock } from '../../github/support.ts'

const HOUR_MS = 3_600_000

it.each([403, 404])('says once that there is no log of webhooks when GitHub answers %i', async (status) => {
  const logged: string[] = []
  const presses = new MissedPresses({
    app: {
      request: async () => {
        throw Object.assign(new Error('no'), { status })
      },
    },
    clock: aQuickClock(),
    log: (level, message) => void logged.push(`${level} ${message}`),
  })
  expect([await presses.find(() => true), await presses.find(() => true)]).toEqual([[], []])
  expect(logged).toEqual(['info GitHub shows no log of webhooks: lost button presses stay lost'])
})

it('finds presses of the last hour in known repositories until the hour is over', async () => {
  const clock = aQuickClock()
  const { box } = await aGitHub({ webhookUrl: 'http://127.0.0.1:9/' })
  box.settings.faults = { ...box.settings.faults, webhookLost: 1 }
  const octokit = box.app()
  let requests = 0
  const presses = new MissedPresses({
    app: {
      request: (route, parameters) => {
        requests += 1
        return octokit.request(route, parameters)
      },
    },
    clock,
    log: (_level, message) => expect.fail(message),
  })
  const press = (action: string, repositoryId: number): void =>
    box.box.deliverer.deliver({
      hook: { kind: 'app', appId: box.apps[0]?.id ?? 0 },
      event: 'check_run',
      payload: { action },
      installationId: 1,
      repositoryId,
    })
  press('requested_action', 2)
  press('requested_action', 3)
  press('completed', 2)
  const find = async () => (await presses.find((id) => id === 2)).map(({ payload }) => payload)
  expect(await find()).toEqual([{ action: 'requested_action' }])
  expect(requests, 'one list, and the payload of one press').toBe(2)
  expect(await find(), 'one that failed is handed over again').toEqual([{ action: 'requested_action' }])
  expect(requests, 'what was read once is not read again').toBe(3)
  await clock.sleep(HOUR_MS / 2)
  expect(await presses.find((id) => id === 3), 'its repository was not listed before').toHaveLength(1)
  await clock.sleep(HOUR_MS / 2 + 60_000)
  expect(await find()).toEqual([])
})
