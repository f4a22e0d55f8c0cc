import { expect, it } from 'vitest'
import { NO_FAULTS } from '../../../src/sandbox/settings.ts'
import { aScene, awaitPhase, PATIENCE, press, stateOf } from '../../e2e/app-scene.ts'
import { label } from '../support.ts'

it('obeys a button whose delivery failed when GitHub sends it again', async () => {
  const { box, app, quiet } = await aScene({ limits: 'candidates: 2, parallel: 1', lenient: true })
  await label(box)
  await awaitPhase(box, 'finished')
  await quiet()
  const declined = async () => (await stateOf(box))?.control.declined ?? []
  box.settings.faults = { ...NO_FAULTS, failBefore: 1 }
  await press(box, 'wendy', 'default-1-0001', 'discard')
  await box.settled()
  await app.app.settled()
  box.settings.faults = NO_FAULTS
  expect(await declined()).toEqual([])

  const { apps } = box.app().rest
  const { data } = await apps.listWebhookDeliveries({ per_page: 100 })
  const failed = data.find(({ action }) => action === 'requested_action')
  await apps.redeliverWebhookDelivery({ delivery_id: failed?.id ?? 0 })
  await expect.poll(declined, PATIENCE).toEqual([1])
}, 180_000)
