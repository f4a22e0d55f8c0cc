import { expect, it } from 'vitest'
import { OwnCoordination } from '../../../src/app/coordination/coordination.ts'
import { type Delivered, EvidenceInbox } from '../../../src/app/server/evidence-inbox.ts'
import { Timers } from '../../../src/app/server/timers.ts'
import { aQuickClock } from '../../github/support.ts'

const SENDER = { login: 'wendy', isBot: false }

function aDelivery(delivery: string): Delivered {
  return { event: { type: 'button', externalId: '', identifier: '', sha: '' }, sender: SENDER, delivery }
}

function anInbox(coordination = new OwnCoordination()): EvidenceInbox {
  return new EvidenceInbox({ coordination, timers: new Timers(aQuickClock()), log: () => undefined })
}

it('gives each delivery to one process, once', async () => {
  const shared = new OwnCoordination()
  const [one, other] = [anInbox(shared), anInbox(shared)]
  const [first, second] = [aDelivery('1'), aDelivery('2')]
  for (const each of [first, second, aDelivery('1')]) one.put(7, each)
  other.put(7, aDelivery('2'))
  other.put(7, aDelivery('3'))
  expect(await one.take(7)).toEqual([first, second])
  expect(await other.take(7)).toEqual([aDelivery('3')])
  expect([await one.take(7), await other.take(7)]).toEqual([[], []])
})

it('keeps evidence while it cannot be claimed', async () => {
  const coordination = new OwnCoordination()
  const claim = coordination.claim.bind(coordination)
  const inbox = anInbox(coordination)
  coordination.claim = async (key) => {
    if (key.endsWith('2')) throw new Error('Redis is down')
    return await claim(key)
  }
  const both = [aDelivery('1'), aDelivery('2')]
  for (const each of both) inbox.put(7, each)
  await expect(inbox.take(7)).rejects.toThrow('Redis is down')
  coordination.claim = claim
  expect(await inbox.take(7)).toEqual(both)
})

it('lets evidence that failed be delivered again', async () => {
  const inbox = anInbox()
  inbox.put(7, aDelivery('1'))
  await inbox.release(await inbox.take(7))
  inbox.put(7, aDelivery('1'))
  expect(await inbox.take(7)).toEqual([aDelivery('1')])
})

it('a cancelled timer leaves nothing behind', () => {
  const timers = new Timers(aQuickClock())
  for (let count = 0; count < 3; count++) timers.after(60_000, () => undefined)()
  expect(timers.size).toBe(0)
})
