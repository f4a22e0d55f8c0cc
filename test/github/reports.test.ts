import { describe, expect, it } from 'vitest'
import { renewCheck } from '../../src/app/pulls/candidate-checks.ts'
import { putChecks } from '../../src/github/checks/check-batches.ts'
import { type CheckReport, findCheck, fitBytes, putCheck } from '../../src/github/checks/check-runs.ts'
import { Comments } from '../../src/github/issues/comments.ts'
import {
  addLabels,
  editIssue,
  ensureLabel,
  findIssue,
  openIssue,
  react,
  removeLabel,
} from '../../src/github/issues/issues.ts'
import { Permissions } from '../../src/github/issues/permissions.ts'
import { editPull, findPull, openPull } from '../../src/github/pulls.ts'
import { NO_FAULTS } from '../../src/sandbox/settings.ts'
import { REPO } from '../sandbox/support.ts'
import { aGitHub, aQuickClock, type TestGitHub } from './support.ts'

function aReport(github: TestGitHub, changes: Partial<CheckReport> = {}): CheckReport {
  const sha = github.git('rev-parse', 'main')
  return {
    name: 'loreley/candidate',
    sha,
    externalId: 'demo-0007',
    conclusion: 'success',
    title: '12 % faster',
    summary: 'All is well.',
    buttons: [{ label: 'Promote', description: 'Open a pull request', identifier: 'promote' }],
    ...changes,
  }
}

async function readCheck(github: TestGitHub, id: number) {
  return (await github.octokit.rest.checks.get({ ...REPO, check_run_id: id })).data
}

describe('check runs', () => {
  const idsOf = async (github: TestGitHub) => {
    const { data } = await github.octokit.rest.checks.listForRef({ ...REPO, ref: 'main', filter: 'all' })
    return data.check_runs.map((check) => check.external_id).sort()
  }

  it('writes several check runs in one request, and updates them in another', async () => {
    const github = await aGitHub()
    const api = github.api()
    const orders = ['a', 'b', 'c'].map((externalId) => ({ report: aReport(github, { externalId }) }))
    const made = await putChecks(api, orders)
    expect(github.sent.map(({ kind }) => kind)).toEqual(['graphql write check runs'])
    const found = await findCheck(api, aReport(github, { externalId: 'b' }))
    expect(made[1]).toBe(found?.nodeId)
    expect(await readCheck(github, found?.id ?? 0)).toMatchObject({
      name: 'loreley/candidate',
      status: 'completed',
      conclusion: 'success',
      output: { title: '12 % faster', summary: 'All is well.' },
    })
    const later = {
      conclusion: 'action_required',
      title: 'Lost',
      detailsUrl: 'https://example.com/7',
    } as const
    const order = { report: aReport(github, { externalId: 'b', ...later }), known: made[1] }
    expect(await putChecks(api, [order, { report: aReport(github, { externalId: 'd' }) }])).toEqual([
      made[1],
      expect.any(String),
    ])
    expect(await readCheck(github, found?.id ?? 0)).toMatchObject({
      conclusion: 'action_required',
      details_url: 'https://example.com/7',
      output: { title: 'Lost' },
    })
    expect(await idsOf(github)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('spreads check runs over requests that GitHub can answer in time', async () => {
    const github = await aGitHub()
    const small = Array.from({ length: 12 }, () => ({ report: aReport(github) }))
    const large = { report: aReport(github, { text: 'x'.repeat(65_000), summary: 'y'.repeat(65_000) }) }
    const made = await putChecks(github.api(), [...small, large, large, large])
    expect(made.filter((id) => id !== undefined)).toHaveLength(15)
    expect(github.sent).toHaveLength(3)
  })

  it('reports which check runs may not have been written', async () => {
    const github = await aGitHub()
    const [sha, gone] = [github.git('rev-parse', 'main'), '0'.repeat(40)]
    const made = await putChecks(
      github.api(),
      [sha, gone].map((each) => ({ report: aReport(github, { sha: each }) })),
    )
    expect(made).toEqual([undefined, undefined])
  })
})

describe('a check run', () => {
  it('a check run takes one request and is found by its external id', async () => {
    const github = await aGitHub()
    const api = github.api()
    const id = await putCheck(api, aReport(github))
    expect(github.sent).toHaveLength(1)
    expect(await readCheck(github, id)).toMatchObject({
      status: 'completed',
      conclusion: 'success',
      external_id: 'demo-0007',
      output: { title: '12 % faster' },
    })
    expect(await findCheck(api, aReport(github))).toMatchObject({ id })
    expect(await findCheck(api, aReport(github, { externalId: 'demo-0008' }))).toBeUndefined()
  })

  it('keeps the plan that an earlier process wrote, in a text without one', async () => {
    const github = await aGitHub()
    const api = github.api()
    const before = 'Old lineage\n\n### Plan\n\nFewer loops.'
    await putCheck(api, aReport(github, { text: before }))
    const found = await findCheck(api, aReport(github))
    const id = await renewCheck(api, aReport(github, { text: 'New lineage' }))
    expect(id).toBe(found?.id)
    expect((await readCheck(github, id)).output.text).toBe('New lineage\n\n### Plan\n\nFewer loops.')
    const planned = 'Newer lineage\n\n### Plan\n\nNo loops.'
    await renewCheck(api, aReport(github, { text: planned }))
    expect((await readCheck(github, id)).output.text).toBe(planned)
  })

  it('updates a check run in place', async () => {
    const github = await aGitHub()
    const { conclusion: _none, ...running } = aReport(github, { title: 'running' })
    const id = await putCheck(github.api(), running)
    expect(await readCheck(github, id)).toMatchObject({ status: 'in_progress' })
    expect(await putCheck(github.api(), aReport(github, { conclusion: 'neutral' }), id)).toBe(id)
    expect(await readCheck(github, id)).toMatchObject({ conclusion: 'neutral' })
  })

  it('a check run whose answer was lost is not made twice', async () => {
    const github = await aGitHub()
    const api = github.api({ clock: aQuickClock() })
    github.box.settings.faults = { ...NO_FAULTS, failAfter: 0.5 }
    for (const externalId of ['a', 'b', 'c', 'd']) await putCheck(api, aReport(github, { externalId }))
    github.box.settings.faults = NO_FAULTS
    const { data } = await github.octokit.rest.checks.listForRef({ ...REPO, ref: 'main', filter: 'all' })
    expect(data.check_runs.map((check) => check.external_id).sort()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('keeps to GitHub’s limits: bytes, annotations a request, buttons', async () => {
    const github = await aGitHub()
    const annotations = Array.from({ length: 120 }, (_, index) => ({
      path: 'README.md',
      line: index + 1,
      level: 'warning' as const,
      title: 'x'.repeat(300),
      message: 'wrong',
    }))
    const button = { label: 'a'.repeat(50), description: 'b'.repeat(50), identifier: 'c'.repeat(50) }
    const report = aReport(github, {
      annotations,
      summary: '€'.repeat(65_535),
      text: '🦀'.repeat(65_535),
      title: 't'.repeat(500),
      buttons: Array(5).fill(button),
    })
    const id = await putCheck(github.api(), report)
    expect(github.sent).toHaveLength(3)
    const check = await readCheck(github, id)
    expect(check.output.annotations_count).toBe(120)
    expect(check.output.summary).toMatch(/€\n\n…$/)
  })

  it('cuts no character in two', () => {
    for (const most of [20, 21, 22, 23]) {
      const cut = fitBytes('🦀'.repeat(30), most)
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most)
      expect(cut).toMatch(/^(🦀)+\n\n…$/u)
    }
    expect(fitBytes('short')).toBe('short')
  })
})

describe('a sticky comment', () => {
  const marker = '<!-- loreley:status campaign=demo -->'

  async function anIssueWithComments() {
    const github = await aGitHub()
    const { data } = await github.box.as('wendy').rest.issues.create({ ...REPO, title: 'Faster' })
    const comments = new Comments(github.api({ clock: aQuickClock() }), 'tester[bot]')
    const list = async () =>
      (await github.octokit.rest.issues.listComments({ ...REPO, issue_number: data.number })).data
    return { github, issue: data.number, comments, list }
  }

  it('a sticky comment is written once, then edited in one request', async () => {
    const { github, issue, comments, list } = await anIssueWithComments()
    const first = await comments.putSticky({ issue, marker, body: 'one' })
    const requests = await github.count(() => comments.putSticky({ issue, marker, body: 'two' }, first.id))
    expect(requests).toEqual({ 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}': 1 })
    await comments.putSticky({ issue, marker, body: 'three' })
    expect((await list()).map(({ body }) => body)).toEqual([`${marker}\nthree`])
    expect((await comments.find(first.id))?.body).toBe(`${marker}\nthree`)
  })

  it('a sticky comment is never somebody else’s, whatever marker it carries', async () => {
    const { github, issue, comments, list } = await anIssueWithComments()
    await github.box
      .as('sam')
      .rest.issues.createComment({ ...REPO, issue_number: issue, body: `${marker}\nmine` })
    await comments.putSticky({ issue, marker, body: 'ours' })
    expect((await list()).map(({ body }) => body)).toEqual([`${marker}\nmine`, `${marker}\nours`])
  })

  it('takes the earliest sticky comment, and writes a deleted one again', async () => {
    const { github, issue, comments, list } = await anIssueWithComments()
    const [one, two] = [
      await comments.answer(issue, `${marker}\n1`),
      await comments.answer(issue, `${marker}\n2`),
    ]
    if (one.status !== 'done' || two.status !== 'done') throw new Error('not written')
    expect((await comments.findSticky(issue, marker))?.id).toBe(one.value.id)
    for (const { id } of [one.value, two.value])
      await github.octokit.rest.issues.deleteComment({ ...REPO, comment_id: id })
    expect(await comments.find(one.value.id)).toBeUndefined()
    await comments.putSticky({ issue, marker, body: 'again' }, one.value.id)
    expect((await list()).map(({ body }) => body)).toEqual([`${marker}\nagain`])
  })

  it('a comment whose answer was lost is not written twice', async () => {
    const { github, issue, comments, list } = await anIssueWithComments()
    github.box.settings.faults = { ...NO_FAULTS, failAfter: 0.5 }
    for (const name of ['a', 'b', 'c', 'd'])
      await comments.putSticky({ issue, marker: `<!-- ${name} -->`, body: '' })
    github.box.settings.faults = NO_FAULTS
    expect(await list()).toHaveLength(4)
  })
})

describe('an issue', () => {
  it('opens, labels and closes an issue', async () => {
    const github = await aGitHub()
    const api = github.api()
    const label = { name: 'loreley:paused', color: 'ededed', description: 'x'.repeat(200) }
    await ensureLabel(api, label)
    await ensureLabel(api, label)
    const made = await openIssue(api, { title: 'Action required', body: 'The config is broken.' })
    const number = made.status === 'done' ? made.value.number : 0
    await addLabels(api, number, ['loreley:paused', 'other'])
    await removeLabel(api, number, 'other')
    expect(await removeLabel(api, number, 'other')).toMatchObject({ status: 'refused', http: 404 })
    await editIssue(api, number, { state: 'closed' })
    expect(await findIssue(api, number)).toMatchObject({ state: 'closed', labels: ['loreley:paused'] })
    expect(await findIssue(api, 99)).toBeUndefined()
  })

  it('reacts to a comment once, even when asked twice', async () => {
    const github = await aGitHub()
    const { issues, reactions } = github.box.as('wendy').rest
    const { data: issue } = await issues.create({ ...REPO, title: 'x' })
    const { data: comment } = await issues.createComment({
      ...REPO,
      issue_number: issue.number,
      body: '/loreley status',
    })
    for (let times = 0; times < 2; times++) await react(github.api(), comment.id, 'eyes')
    const { data } = await reactions.listForIssueComment({ ...REPO, comment_id: comment.id })
    expect(data.map(({ content }) => content)).toEqual(['eyes'])
  })
})

describe('a pull request', () => {
  async function aBranch() {
    const github = await aGitHub()
    const tree = github.git('rev-parse', 'main^{tree}')
    const commit = github.git('commit-tree', '-p', 'main', '-m', 'better [skip ci]', tree)
    github.git('branch', 'loreley/pr/demo/0007', commit)
    const branch = 'loreley/pr/demo/0007'
    return { github, draft: { title: '12 % faster', body: 'By a machine.', branch, base: 'main' }, commit }
  }

  it('opens one draft pull request', async () => {
    const { github, draft, commit } = await aBranch()
    const api = github.api({ clock: aQuickClock() })
    github.box.settings.faults = { ...NO_FAULTS, failAfter: 0.4 }
    const made = await openPull(api, draft, aQuickClock())
    github.box.settings.faults = NO_FAULTS
    const again = await openPull(api, draft, aQuickClock())
    expect(again).toEqual(made)
    expect(made).toMatchObject({ status: 'done', value: { draft: true, merged: false, head: commit } })
    const { data } = await github.octokit.rest.pulls.list(REPO)
    expect(data).toHaveLength(1)
  })

  it('edits, closes and finds a pull request', async () => {
    const { github, draft } = await aBranch()
    const api = github.api()
    const made = await openPull(api, draft, aQuickClock())
    const number = made.status === 'done' ? made.value.number : 0
    await editPull(api, number, { body: 'x'.repeat(70_000), title: 'Better' })
    await editPull(api, number, { state: 'closed' })
    expect(await findPull(api, draft.branch)).toMatchObject({ number, state: 'closed' })
    expect(await findPull(api, 'loreley/pr/demo/0008')).toBeUndefined()
  })

  it('a pull request without a branch is refused with the message of GitHub', async () => {
    const { github, draft } = await aBranch()
    const outcome = await openPull(github.api(), { ...draft, branch: 'nowhere' }, aQuickClock())
    expect(outcome).toMatchObject({ status: 'refused', http: 422 })
  })

  it('waits for a branch that GitHub does not know yet, and asks for no review unread', async () => {
    const { github, draft } = await aBranch()
    const ref = `refs/heads/${draft.branch}`
    const commit = github.git('rev-parse', ref)
    github.git('update-ref', '-d', ref)
    const clock = { sleep: async () => void github.git('update-ref', ref, commit) }
    const made = await openPull(github.api(), draft, clock)
    expect(made).toMatchObject({ status: 'done', value: { draft: true } })
  })

  it('a closed pull request does not pass for the opened one', async () => {
    const { github, draft, commit } = await aBranch()
    const made = await openPull(github.api(), draft, aQuickClock())
    const number = made.status === 'done' ? made.value.number : 0
    await editPull(github.api(), number, { state: 'closed' })
    const ref = `refs/heads/${draft.branch}`
    github.git('update-ref', '-d', ref)
    const clock = { sleep: async () => void github.git('update-ref', ref, commit) }
    expect(await openPull(github.api(), draft, clock)).toMatchObject({
      status: 'done',
      value: { state: 'open', number: number + 1 },
    })
  })
})

describe('permission to write', () => {
  it.each([
    ['olivia', true],
    ['wendy', true],
    ['tariq', false],
    ['rita', false],
    ['sam', false],
    ['nobody', false],
    ['tester[bot]', false],
  ])('write permission of %s is %s', async (login, expected) => {
    const github = await aGitHub()
    expect(await new Permissions(github.api(), aQuickClock()).canWrite(login)).toBe(expected)
  })

  it('maintainers may write, and the answer is kept for a minute', async () => {
    const github = await aGitHub()
    const admin = github.box.as('olivia').rest.repos
    await admin.addCollaborator({ ...REPO, username: 'sam', permission: 'maintain' })
    const clock = aQuickClock()
    const permissions = new Permissions(github.api(), clock)
    expect(await permissions.canWrite('sam')).toBe(true)
    await admin.removeCollaborator({ ...REPO, username: 'sam' })
    expect(await permissions.canWrite('sam')).toBe(true)
    expect(github.sent).toHaveLength(1)
    await clock.sleep(60_000)
    expect(await permissions.canWrite('sam')).toBe(false)
  })
})
