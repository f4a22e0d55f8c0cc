import { expect, it } from 'vitest'
import { NO_FAULTS } from '../../../src/sandbox/settings.ts'
import { answersOn, aScene, awaitPhase, PATIENCE, press, stateOf } from '../../e2e/app-scene.ts'
import { label } from '../support.ts'

it('a button whose webhook was lost is obeyed once, also after a restart', async () => {
  const { box, app, quiet, restart } = await aScene({ limits: 'candidates: 2, parallel: 1' })
  const issue = await label(box)
  await awaitPhase(box, 'finished')
  await quiet()
  const answers = async () => (await answersOn(box, issue)).map((body) => body.split('\n')[0])
  box.settings.faults = { ...NO_FAULTS, webhookLost: 1 }
  await press(box, 'rita', 'default-1-0002', 'discard')
  await press(box, 'wendy', 'default-1-0001', 'discard')
  await box.settled()
  await app.app.watch()
  const said = [expect.stringContaining('✅ wendy pressed **Discard**: default-1-0001 is discarded')]
  await expect.poll(answers, PATIENCE).toEqual(said)
  box.settings.faults = NO_FAULTS
  await restart()
  await quiet()
  const { apps } = box.app().rest
  const { data } = await apps.listWebhookDeliveries({ per_page: 100 })
  for (const { id, action } of data)
    if (action === 'requested_action') await apps.redeliverWebhookDelivery({ delivery_id: id })
  await quiet()
  expect(await answers()).toEqual(said)
  expect((await stateOf(box))?.control.declined).toEqual([1])
}, 180_000)

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
