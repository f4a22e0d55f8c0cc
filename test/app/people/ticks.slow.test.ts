import { it } from 'vitest'
import { NO_FAULTS } from '../../../src/sandbox/settings.ts'
import { REPO, type TestBox } from '../../sandbox/support.ts'
import { anApp, awaitComment, label } from '../support.ts'

/** Ticks a box of the campaign's dashboard, as a browser does: the whole comment is sent again. */
async function tick(box: TestBox, issue: number, marker: string): Promise<void> {
  const { rest } = box.as('wendy')
  const { data } = await rest.issues.listComments({ ...REPO, issue_number: issue })
  const dashboard = data.find(({ body }) => body?.includes(`<!-- loreley:${marker} -->`))
  const body = dashboard?.body?.replace(
    `- [ ] <!-- loreley:${marker} -->`,
    `- [x] <!-- loreley:${marker} -->`,
  )
  await rest.issues.updateComment({ ...REPO, comment_id: dashboard?.id ?? 0, body: body ?? '' })
}

it('obeys a tick whose event was lost before it edits the comment', async () => {
  const { box, runner } = await anApp()
  runner.held = true
  const issue = await label(box)
  await awaitComment(box, issue, '<!-- loreley:pause -->')
  box.settings.faults = { ...NO_FAULTS, webhookLost: 1 }
  await tick(box, issue, 'pause')
  await box.settled()
  box.settings.faults = NO_FAULTS
  runner.release()
  await awaitComment(box, issue, 'by wendy')
  await awaitComment(box, issue, '- [ ] <!-- loreley:resume -->')
}, 120_000)

it('obeys a tick whose event was lost while the campaign rests', async () => {
  const { box, runner, app } = await anApp()
  runner.held = true
  const issue = await label(box)
  await awaitComment(box, issue, '<!-- loreley:pause -->')
  await tick(box, issue, 'pause')
  await awaitComment(box, issue, '- [ ] <!-- loreley:resume -->')
  box.settings.faults = { ...NO_FAULTS, webhookLost: 1 }
  await tick(box, issue, 'resume')
  await box.settled()
  box.settings.faults = NO_FAULTS
  await app.app.watch()
  await awaitComment(box, issue, '- [ ] <!-- loreley:pause -->')
  runner.release()
  await awaitComment(box, issue, 'Finished after 6 candidates')
}, 120_000)

it('obeys a tick once when its event arrives', async () => {
  const { box, runner } = await anApp()
  runner.held = true
  const issue = await label(box)
  await awaitComment(box, issue, '<!-- loreley:pause -->')
  await tick(box, issue, 'pause')
  await awaitComment(box, issue, 'by wendy')
  await tick(box, issue, 'resume')
  runner.release()
  await awaitComment(box, issue, 'Finished after 6 candidates')
}, 120_000)
