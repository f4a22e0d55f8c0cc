import { expect, it } from 'vitest'
import { PacedReport } from '../../../src/app/campaign/paced-report.ts'
import { BOX_SETTINGS } from '../../../src/app/server/settings.ts'
import { aQuickClock } from '../../github/support.ts'

it('reports at once, then once a span however much is asked for, and again after one that failed', async () => {
  const clock = aQuickClock()
  let isBroken = false
  let reported = 0
  const report = new PacedReport({ clock, settings: { ...BOX_SETTINGS, reportMs: 1000 } }, async () => {
    reported++
    if (isBroken) throw new Error('no')
  })
  expect(report.dueAt, 'nobody asked').toBeUndefined()
  report.request()
  expect(report.dueAt).toBe(clock.now())
  await report.settle()
  for (let news = 0; news < 5; news++) report.request()
  await report.settle()
  expect([reported, report.dueAt], 'all of them are one, later').toEqual([1, clock.now() + 1000])

  await clock.sleep(1000)
  isBroken = true
  await expect(report.settle()).rejects.toThrow('no')
  report.request()
  isBroken = false
  await clock.sleep(1000)
  await report.settle()
  expect([reported, report.dueAt]).toEqual([3, undefined])
})
