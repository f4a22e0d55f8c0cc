import { expect, it } from 'vitest'
import { label } from '../app/support.ts'
import { REPO } from '../sandbox/support.ts'
import { answersOn, aScene, ask, awaitPhase, say, signsOn } from './app-scene.ts'

it('ignores words in the middle, edited comments and bots', async () => {
  const { box } = await aScene({ limits: 'candidates: 2, parallel: 1' })
  const issue = await label(box)
  await awaitPhase(box, 'finished')
  const plain = await say(box, 'wendy', issue, 'Please /loreley stop')
  await box.as('wendy').rest.issues.updateComment({ ...REPO, comment_id: plain, body: '/loreley stop' })
  const bot = await box.installation()
  await bot.rest.issues.createComment({ ...REPO, issue_number: issue, body: '/loreley stop' })
  // The queue of a repository keeps its order: once this is answered, all before it was handled.
  expect(await ask(box, 'wendy', issue, '/loreley status')).toContain('Finished')
  expect((await answersOn(box, issue)).filter((body) => !body.startsWith('/'))).toHaveLength(1)
  expect(await signsOn(box, plain)).toEqual([])
}, 180_000)
