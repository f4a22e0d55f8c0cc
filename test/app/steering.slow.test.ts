import { expect, it } from 'vitest'
import { REPO, type TestBox } from '../sandbox/support.ts'
import { anApp, label } from './support.ts'

const say = async (box: TestBox, who: string, issue: number, body: string): Promise<void> => {
  await box.as(who).rest.issues.createComment({ ...REPO, issue_number: issue, body })
}

async function bodies(box: TestBox, issue: number): Promise<string> {
  const { data } = await box.as('rita').rest.issues.listComments({ ...REPO, issue_number: issue })
  return data.map(({ body }) => body).join('\n\n')
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
  await box.settled()
  await say(box, 'rita', issue, '/loreley stop')
  await say(box, 'wendy', issue, '/loreley pause')
  await quiet()
  const paused = await bodies(box, issue)
  expect(paused).toContain('Only people who may write')
  expect(paused).toContain('Paused after 0 of 6 candidates')
  await restart()
  await say(box, 'wendy', issue, '/loreley resume')
  await quiet()
  runner.release()
  await quiet()
  expect(await bodies(box, issue)).toContain('Finished after 6 candidates')
}, 120_000)
