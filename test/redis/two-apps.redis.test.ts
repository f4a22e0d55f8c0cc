import { expect, it } from 'vitest'
import { PERMISSIONS } from '../../src/github/installation/repository-transport.ts'
import { FakeRunner } from '../app/fake-runner.ts'
import { awaitComment, FILES, label } from '../app/support.ts'
import { REPO, startTestBox, type TestBox } from '../sandbox/support.ts'
import { type AppProcess, anAppProcess, startFanOut } from './app-processes.ts'
import { aRedis, type TestRedis } from './gateway.ts'

interface TwoApps {
  readonly box: TestBox
  readonly runner: FakeRunner
  readonly redis: TestRedis
  readonly processes: readonly AppProcess[]
}

/** A box whose every webhook goes to two processes of the app. */
async function twoApps(): Promise<TwoApps> {
  const fanOut = await startFanOut()
  const box = await startTestBox({
    files: FILES,
    permissions: PERMISSIONS,
    webhookUrl: fanOut.url,
    wellFormed: true,
  })
  const runner = new FakeRunner(box)
  box.box.runners.add(runner)
  const redis = await aRedis()
  fanOut.to.push(await anAppProcess(box, redis), await anAppProcess(box, redis))
  return { box, runner, redis, processes: fanOut.to }
}

const FINISHED = 'Finished after 6 candidates'

it('two processes that both hear everything do everything once', async () => {
  const { box, runner } = await twoApps()
  const issue = await label(box)
  await awaitComment(box, issue, FINISHED)
  await box.as('wendy').rest.issues.createComment({ ...REPO, issue_number: issue, body: '/loreley status' })
  await awaitComment(box, issue, '✅')
  await expect.poll(() => runner.started.length, { timeout: 60_000 }).toBe(1 + 6 + 1)
  // Two would have answered, had both taken it: the second one's lock came after the first one's answer.
  await box.as('wendy').rest.issues.createComment({ ...REPO, issue_number: issue, body: '/loreley help' })
  await awaitComment(box, issue, 'this list')
  const { data } = await box.as('rita').rest.issues.listComments({ ...REPO, issue_number: issue })
  expect(data.filter(({ body }) => body?.startsWith('✅'))).toHaveLength(2)
  expect(data.filter(({ body }) => body?.startsWith('<!-- loreley:status'))).toHaveLength(1)
}, 180_000)

it('one process dies in the middle, and the other finishes', async () => {
  const { box, runner, processes } = await twoApps()
  runner.held = true
  const issue = await label(box)
  await expect.poll(() => runner.waiting, { timeout: 60_000 }).toBeGreaterThan(0)
  await processes[0]?.kill()
  runner.release()
  await awaitComment(box, issue, FINISHED)
}, 180_000)

it('Redis goes away in the middle, and the campaign finishes all the same', async () => {
  const { box, runner, redis, processes } = await twoApps()
  runner.held = true
  const issue = await label(box)
  await expect.poll(() => runner.waiting, { timeout: 60_000 }).toBeGreaterThan(0)
  await redis.kill()
  runner.release()
  await awaitComment(box, issue, FINISHED)
  const texts = await Promise.all(processes.map((process) => process.metrics()))
  expect(texts.join('\n')).toMatch(/loreley_redis_failures_total\{kind="\w+"\} [1-9]/)
}, 180_000)
