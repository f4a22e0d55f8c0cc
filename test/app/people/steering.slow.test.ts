import { expect, it } from 'vitest'
import { REPO, type TestBox } from '../../sandbox/support.ts'
import { anApp, awaitComment, label } from '../support.ts'

const say = async (box: TestBox, who: string, issue: number, body: string): Promise<void> => {
  await box.as(who).rest.issues.createComment({ ...REPO, issue_number: issue, body })
}

it('a label set by somebody who may not write starts nothing', async () => {
  const { box, quiet, runner } = await anApp()
  await label(box, 'tariq')
  await quiet()
  expect(runner.started).toEqual([])
}, 120_000)

it('pauses, refuses strangers, goes on after a restart, and finishes', async () => {
  const { box, quiet, runner, restart } = await anApp()
  runner.held = true
  const issue = await label(box)
  // Webhooks may overtake each other: whoever steers has seen that there is a campaign.
  await awaitComment(box, issue, 'Measuring the baseline')
  await say(box, 'rita', issue, '/loreley stop')
  await say(box, 'wendy', issue, '/loreley pause')
  await awaitComment(box, issue, 'Only people who may write')
  await awaitComment(box, issue, 'Paused after 0 of 6 candidates')
  await restart()
  await say(box, 'wendy', issue, '/loreley resume')
  await quiet()
  runner.release()
  await awaitComment(box, issue, 'Finished after 6 candidates')
}, 120_000)
