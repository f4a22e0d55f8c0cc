import { expect, it } from 'vitest'
import { PacedReport } from '../../src/app/campaign/paced-report.ts'
import { BOX_SETTINGS } from '../../src/app/server/settings.ts'
import { VirtualClock } from '../support/virtual-clock.ts'

it('reports at once, then once a span however much is asked for, and again after one that failed', async () => {
  const clock = new VirtualClock()
  const waits: number[] = []
  const tasks: (() => Promise<void>)[] = []
  const later = (delayMs: number, task: () => Promise<void>): void => {
    waits.push(delayMs)
    tasks.push(task)
  }
  let isBroken = false
  let reported = 0
  const report = new PacedReport(
    { clock, settings: { ...BOX_SETTINGS, reportMs: 1000 }, later },
    async () => {
      reported++
      if (isBroken) throw new Error('no')
    },
  )
  report.request()
  await tasks.shift()?.()
  for (let news = 0; news < 5; news++) report.request()
  expect(waits, 'all of them are one').toEqual([0, 1000])

  isBroken = true
  await expect(tasks.shift()?.()).rejects.toThrow('no')
  report.request()
  isBroken = false
  await tasks.shift()?.()
  expect([reported, tasks]).toEqual([3, []])
})
