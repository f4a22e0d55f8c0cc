import { expect, it } from 'vitest'
import { SYSTEM_CLOCK } from '../../../src/github/api/clock.ts'
import { answersOn, aScene, PATIENCE, say, signsOn } from '../../e2e/app-scene.ts'
import { label } from '../support.ts'

it('shows at once that a command was seen, while a push waits for its minute', async () => {
  let isWaiting = false
  let open = (): void => undefined
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const { box, runner } = await aScene({
    limits: 'candidates: 6, parallel: 1',
    settings: { statePace: { gatherMs: { least: 0, most: 0 }, pushesPerMinute: 3 } },
    sleep: async (ms) => {
      if (ms < 10_000) return await SYSTEM_CLOCK.sleep(ms)
      isWaiting = true
      await gate
    },
  })
  runner.held = true
  const issue = await label(box)
  for (const amount of [5, 6, 7]) await say(box, 'wendy', issue, `/loreley budget candidates ${amount}`)
  await expect.poll(() => isWaiting, PATIENCE).toBe(true)
  const comment = await say(box, 'wendy', issue, '/loreley status')
  await expect.poll(() => signsOn(box, comment), PATIENCE).toEqual(['eyes'])
  open()
  await expect.poll(() => signsOn(box, comment), PATIENCE).toEqual(['eyes', 'rocket'])
  await expect.poll(async () => (await answersOn(box, issue)).length, PATIENCE).toBe(4)
}, 180_000)
