import { expect, it } from 'vitest'
import { REPO } from '../../sandbox/support.ts'
import { anApp, awaitComment, label } from '../support.ts'

it('runs a campaign from the label to a draft pull request', async () => {
  const { box, quiet, runner } = await anApp()
  const issue = await label(box)
  await awaitComment(box, issue, 'Finished after 6 candidates: the candidate budget is used up.')
  await quiet()
  const rita = box.as('rita').rest
  const comments = await rita.issues.listComments({ ...REPO, issue_number: issue })
  expect(comments.data, 'one dashboard, edited in place').toHaveLength(1)
  expect(runner.started).toHaveLength(1 + 6 + 1)
  const elites = await rita.git.listMatchingRefs({ ...REPO, ref: 'heads/loreley/elite/' })
  expect(elites.data.length).toBeGreaterThanOrEqual(2)
  const pulls = await rita.pulls.list(REPO)
  expect(pulls.data).toMatchObject([
    { draft: true, head: { ref: expect.stringMatching(/^loreley\/pr\/default-1\/\d{4}$/) } },
  ])
  const head = pulls.data[0]?.head.sha ?? ''
  const onHead = await rita.checks.listForRef({ ...REPO, ref: head })
  expect(onHead.data.check_runs, 'on the head of the pull request').toMatchObject([{ conclusion: 'success' }])
  const told = await rita.issues.listComments({ ...REPO, issue_number: pulls.data[0]?.number ?? 0 })
  expect(told.data.map(({ body }) => body)).toEqual([expect.stringContaining('| when found | confirmed |')])
  const [elite] = elites.data
  const checks = await rita.checks.listForRef({ ...REPO, ref: elite?.object.sha ?? '' })
  expect(checks.data.check_runs).toMatchObject([{ conclusion: 'success', app: { slug: 'tester' } }])
  const vectors = await rita.repos.getContent({
    ...REPO,
    ref: 'loreley/state',
    path: 'campaigns/default-1/vectors/000.jsonl',
    mediaType: { format: 'raw' },
  })
  expect(String(vectors.data).trimEnd().split('\n'), 'what the proposals said they are about').toHaveLength(6)
  const transcript = await rita.repos.getContent({
    ...REPO,
    ref: 'loreley/state',
    path: 'campaigns/default-1/transcripts/0001.md',
    mediaType: { format: 'raw' },
  })
  expect(transcript.data, 'what agent and model said').toBe('About default-1-0001.')
}, 120_000)
