import { expect, it } from 'vitest'
import { label } from '../../../app/support.ts'
import { REPO } from '../../../sandbox/support.ts'
import { aScene, ask, awaitPhase, dashboardOn, ledgerOf, PATIENCE, stateOf } from '../../app-scene.ts'

it('lives from the label over generations and check runs to pull requests that people judge', async () => {
  const { box, runner } = await aScene()
  const rita = box.as('rita').rest
  const issue = await label(box)
  await awaitPhase(box, 'finished')
  const entries = await ledgerOf(box)
  expect(entries[0]).toMatchObject({ ordinal: 0, kind: 'baseline' })
  expect(entries.filter(({ kind }) => kind === 'candidate')).toHaveLength(4)
  expect(runner.started.map(({ ref }) => ref)).toEqual(
    expect.arrayContaining(['refs/heads/loreley/runner/default-1']),
  )
  for (const { ordinal, commit = '' } of entries.filter(({ kind }) => kind === 'candidate')) {
    const read = async () => (await rita.checks.listForRef({ ...REPO, ref: commit })).data.check_runs
    await expect
      .poll(read, PATIENCE)
      .toMatchObject([
        { name: `loreley default-1-000${ordinal}`, conclusion: expect.stringMatching(/success|neutral/) },
      ])
    // The link leads to the run that measured it.
    const run = runner.started.find(({ displayTitle }) => displayTitle.includes(` default-1-000${ordinal} `))
    const url = `${box.url}/acme/demo/actions/runs/${run?.id}`
    const [check] = await read()
    expect(check).toMatchObject({ details_url: url })
    expect(check?.output.summary).toContain(`[The run](${url})`)
  }
  const openPulls = async () => (await rita.pulls.list(REPO)).data
  await expect.poll(openPulls, PATIENCE).toMatchObject([{ draft: true, base: { ref: 'main' } }])
  const [pull] = await openPulls()
  const first = Number(pull?.head.ref.slice(-4))
  // What its planner said is told on its own commit, after it was measured again too, and on the head.
  const own = entries.find(({ ordinal }) => ordinal === first)?.commit ?? ''
  for (const ref of [own, pull?.head.sha ?? '']) {
    const read = async () => (await rita.checks.listForRef({ ...REPO, ref })).data.check_runs[0]?.output
    await expect.poll(async () => (await read())?.summary, PATIENCE).toContain('was measured again')
    expect((await read())?.text).toContain('one step')
  }

  // Merged by a person: the app never does.
  await box.as('wendy').rest.pulls.update({ ...REPO, pull_number: pull?.number ?? 0, title: 'Faster' })
  await box
    .as('wendy')
    .graphql(
      'mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId } }',
      { id: pull?.node_id },
    )
  await box.as('wendy').rest.pulls.merge({ ...REPO, pull_number: pull?.number ?? 0 })
  const pullsIn = async () => (await stateOf(box))?.control.pulls.map(({ status }) => status)
  await expect.poll(pullsIn, PATIENCE).toEqual(['merged'])
  await expect.poll(async () => (await dashboardOn(box, issue)).body, PATIENCE).toContain('merged')

  // Another one, closed: it is declined, and its branch goes.
  const other = entries.find(({ kind, ordinal }) => kind === 'candidate' && ordinal !== first)?.ordinal ?? 0
  expect(await ask(box, 'wendy', issue, `/loreley promote ${other}`)).toContain('is being confirmed')
  await expect.poll(async () => (await openPulls()).length, PATIENCE).toBe(1)
  const [second] = await openPulls()
  await box.as('wendy').rest.pulls.update({ ...REPO, pull_number: second?.number ?? 0, state: 'closed' })
  await expect.poll(async () => (await stateOf(box))?.control.declined, PATIENCE).toEqual([other])
  const branches = async () =>
    (await rita.git.listMatchingRefs({ ...REPO, ref: 'heads/loreley/pr/' })).data.map(({ ref }) => ref)
  await expect.poll(branches, PATIENCE).toEqual([])
  expect((await stateOf(box))?.status).toEqual({ phase: 'finished', reason: 'budget-candidates' })
}, 180_000)
