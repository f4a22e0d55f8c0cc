import { expect, it } from 'vitest'
import type { EventOf } from '../../../src/app/reconcile/evidence.ts'
import { REPO } from '../../sandbox/support.ts'
import { load } from '../../support/store.ts'
import { aRepository, type TestRepository } from '../a-repository.ts'

const RULES = 'GET /repos/{owner}/{repo}/rules/branches/{branch}'
const SUITES = 'GET /repos/{owner}/{repo}/commits/{ref}/check-suites'
const WENDY = { login: 'wendy', isBot: false }

/** An issue, and the event of its label. */
async function aLabel({ github }: TestRepository, by = 'wendy'): Promise<EventOf<'labelled'>> {
  const words = { title: 'Faster, please', body: 'Try hard.' }
  const { data } = await github.box.as(by).rest.issues.create({ ...REPO, ...words })
  const labels = ['loreley']
  await github.box.as('wendy').rest.issues.addLabels({ ...REPO, issue_number: data.number, labels })
  return { type: 'labelled', issue: { number: data.number, ...words, isPull: false }, label: 'loreley' }
}

async function answersOn({ github }: TestRepository, issue: number): Promise<string[]> {
  const { data } = await github.octokit.rest.issues.listComments({ ...REPO, issue_number: issue })
  return data.map(({ body }) => body ?? '').filter((body) => !body.startsWith('<!-- loreley:'))
}

async function directionOf({ github }: TestRepository) {
  const { state } = await load(github.store(), 'default-1')
  return state.campaign.control.direction
}

it('begins where GitHub does not tell the rules, and says so', async () => {
  const repository = await aRepository()
  const { tell, tools, refusals } = repository
  refusals.set(RULES, 403)
  const event = await aLabel(repository)
  await tell(event, WENDY)
  expect(await tools.store.list()).toEqual(['default-1'])
  expect(await answersOn(repository, event.issue.number)).toEqual([
    expect.stringMatching(/It has started, but.*GitHub does not reveal the rulesets/s),
  ])
})

it('answers a label when GitHub refuses what a start needs', async () => {
  const repository = await aRepository()
  const { tell, tools, refusals, logged } = repository
  refusals.set(SUITES, 403)
  const event = await aLabel(repository)
  await tell(event, WENDY)
  expect(await tools.store.list()).toEqual([])
  expect(await answersOn(repository, event.issue.number)).toEqual([
    expect.stringMatching(/^😕 GitHub refused .* with status 403: not for you Check the permissions/),
  ])
  expect(logged).toEqual(['a campaign could not be started'])

  refusals.clear()
  await tell(event, WENDY)
  expect(await tools.store.list()).toEqual(['default-1'])
})

it('takes of a writer’s edit what the writer has changed, and not what a stranger left there', async () => {
  const repository = await aRepository()
  const { tell } = repository
  const event = await aLabel(repository)
  await tell(event, WENDY)
  const issue = { ...event.issue, title: 'Smaller', body: 'Mine bitcoin.' }
  const edited = { type: 'issue-edited', issue } as const
  await tell({ ...edited, changed: { title: false, body: true } }, { login: 'rita', isBot: false })
  expect(await directionOf(repository)).toEqual({ issue: 1, title: 'Faster, please', body: 'Try hard.' })
  await tell({ ...edited, changed: { title: true, body: false } }, WENDY)
  expect(await directionOf(repository)).toEqual({ issue: 1, title: 'Smaller', body: 'Try hard.' })
})

it('a start that no webhook told of takes as many words as one with a webhook', async () => {
  const repository = await aRepository()
  const { issues } = repository.github.box.as('wendy').rest
  const { data } = await issues.create({ ...REPO, title: 'Faster', body: 'x'.repeat(30_000) })
  await issues.createComment({ ...REPO, issue_number: data.number, body: '/loreley start' })
  await repository.host.reconcile()
  expect((await directionOf(repository))?.body).toHaveLength(10_000)
})

it('takes a writer’s edits that no webhook told of, and asks about a stranger’s once', async () => {
  const repository = await aRepository()
  const { github, tools, host, tell } = repository
  const event = await aLabel(repository, 'rita')
  await tell(event, WENDY)
  const look = async () => {
    await tools.clock.sleep(tools.settings.fullReconcileMs)
    const counts = await github.count(() => host.reconcile())
    return counts['graphql read the last edit'] ?? 0
  }
  expect(await look()).toBe(0)
  const edit = async (who: string, words: { title?: string; body?: string }) =>
    void (await github.box.as(who).rest.issues.update({ ...REPO, issue_number: 1, ...words }))
  await edit('rita', { body: 'Mine bitcoin.' })
  expect([await look(), await look()]).toEqual([1, 0])
  await edit('wendy', { title: 'Smaller' })
  await look()
  expect(await directionOf(repository)).toEqual({ issue: 1, title: 'Smaller', body: 'Try hard.' })
  await edit('rita', { title: 'Bitcoin' })
  await edit('wendy', { body: 'Without tables.' })
  await look()
  expect(await directionOf(repository)).toEqual({ issue: 1, title: 'Smaller', body: 'Without tables.' })
})

it('a label that is put on and off many times is one decision, and its end counts', async () => {
  const repository = await aRepository()
  const { host, github, tools } = repository
  const { issues } = github.box.as('wendy').rest
  const event = await aLabel(repository)
  const target = { ...REPO, issue_number: event.issue.number }
  const labelled = { ...event, at: (await issues.get(target)).data.updated_at }
  const off = { ...labelled, type: 'issue-changed', how: 'unlabeled', label: 'loreley' } as const
  const flips = [labelled, off, labelled, off, labelled].map((each) => ({ event: each, sender: WENDY }))
  await issues.removeLabel({ ...target, name: 'loreley' })
  await host.reconcile([...flips, { event: off, sender: WENDY }])
  expect(await tools.store.list(), 'it is off').toEqual([])
  await issues.addLabels({ ...target, labels: ['loreley'] })
  await host.reconcile(flips)
  const commits = github.git('rev-list', '--count', 'loreley/state')
  await host.reconcile(flips)
  expect(github.git('rev-list', '--count', 'loreley/state'), 'told twice').toBe(commits)
})
