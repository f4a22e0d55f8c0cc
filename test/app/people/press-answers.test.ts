import { expect, it } from 'vitest'
import { answerPress, isAnswered } from '../../../src/app/people/press-answers.ts'
import { done } from '../../../src/app/people/reply.ts'
import { REPO } from '../../sandbox/support.ts'
import { aRepository } from '../a-repository.ts'

async function aPress(issue: number | undefined) {
  const { github, tools } = await aRepository()
  const sha = github.git('rev-parse', 'main')
  const press = { delivery: 'a-1', by: 'wendy', button: 'Discard', candidate: 'demo-0001', sha, issue }
  const { data } = await github.box.as('wendy').rest.issues.create({ ...REPO, title: 'Faster' })
  return { github, tools, press, opened: data.number }
}

it.each([
  ['a campaign has no issue', undefined],
  ['the campaign’s issue is gone', 999],
])('a check run answers a press when %s', async (_when, issue) => {
  const { github, tools, press } = await aPress(issue)
  expect(await isAnswered(tools, press)).toBe(false)
  await answerPress(tools, press, done('It is discarded.'))
  expect(await isAnswered(tools, press)).toBe(true)
  expect(await isAnswered(tools, { ...press, delivery: 'a-2' }), 'the next press is another').toBe(false)
  const { data } = await github.octokit.rest.checks.listForRef({ ...REPO, ref: press.sha })
  expect(data.check_runs).toMatchObject([
    { conclusion: 'neutral', output: { title: '✅ wendy pressed Discard', summary: 'It is discarded.' } },
  ])
})

it('a comment of somebody else does not pass for the answer to a press', async () => {
  const { github, tools, press, opened } = await aPress(undefined)
  const body = '✅ <!-- loreley:press delivery=a-1 -->'
  await github.box.as('wendy').rest.issues.createComment({ ...REPO, issue_number: opened, body })
  expect(await isAnswered(tools, { ...press, issue: opened })).toBe(false)
  await answerPress(tools, { ...press, issue: opened }, done('It is discarded.'))
  expect(await isAnswered(tools, { ...press, issue: opened })).toBe(true)
})
