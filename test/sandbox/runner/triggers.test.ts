import { describe, expect, it } from 'vitest'
import { runs } from '../../../src/sandbox/actions/documents.ts'
import { passesPatterns } from '../../../src/sandbox/runner/triggers/event-filters.ts'
import { listDue, startScheduled } from '../../../src/sandbox/runner/triggers/schedule.ts'
import { REPO, type TestBox } from '../support.ts'
import { dispatchWorkflow, play, startRunnerBox } from './runner-support.ts'

const JOBS = `jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo "$GITHUB_EVENT_NAME $GITHUB_REF"
`

/** Commits a file and waits until the runs it started have ended. */
async function commit(box: TestBox, path: string, message: string, branch = 'main', who = box.as('wendy')) {
  const content = Buffer.from(`${message}\n`).toString('base64')
  await who.rest.repos.createOrUpdateFileContents({ ...REPO, path, message, content, branch })
  await box.runner?.settled()
}

/** The runs started so far, oldest first. */
function started(box: TestBox): string[] {
  return runs(box.box.store)
    .all()
    .map((run) => `${run.event} ${run.ref} ${run.displayTitle}`)
}

describe('filters', () => {
  it.each([
    [['main', 'releases/**'], 'releases/1/2', true],
    [['*'], 'a/b', false],
    [['**', '!secret/**'], 'secret/a', false],
    [['**', '!a/**', 'a/b'], 'a/b', true],
    [['v[12].[0-9]+.x'], 'v2.10.x', true],
    [['*.jsx?'], 'page.js', true],
    [['**/docs/**'], 'docs/a.md', true],
    [['docs/*'], 'docs/a/b.md', false],
  ])('the patterns %j let %s through: %s', (patterns, name, passes) => {
    expect(passesPatterns(patterns, name)).toBe(passes)
  })
})

describe('a push', () => {
  it('a push starts workflows by branch and path, unless the commit asks to skip them', async () => {
    const box = await startRunnerBox(
      `on: { push: { branches: [main], paths: ['src/**', '!src/*.md'] } }\n${JOBS}`,
    )
    await commit(box, 'README.md', 'a readme')
    await commit(box, 'src/note.md', 'a note')
    await commit(box, 'src/b.txt', 'code [skip ci]')
    await commit(box, 'src/c.txt', 'code')
    const { data } = await box.as('wendy').rest.git.getRef({ ...REPO, ref: 'heads/main' })
    await box.as('wendy').rest.git.createRef({ ...REPO, ref: 'refs/heads/side', sha: data.object.sha })
    await commit(box, 'src/d.txt', 'elsewhere', 'side')
    expect(started(box)).toEqual(['push refs/heads/main code'])
  })

  it("a push by a job's token starts no workflows, and a push by an App does", async () => {
    const box = await startRunnerBox(`on: { push: {}, workflow_dispatch: {} }\n${JOBS}`, {
      files: {
        '.github/workflows/writer.yml': `on: workflow_dispatch
permissions: { contents: write, actions: write }
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - env: { TOKEN: '\${{ github.token }}' }
        run: |
          api="$GITHUB_API_URL/repos/$GITHUB_REPOSITORY"
          curl -fsS -X PUT -H "Authorization: Bearer $TOKEN" "$api/contents/made.txt" -d '{"message": "by the job", "content": "aGk="}'
          curl -fsS -H "Authorization: Bearer $TOKEN" "$api/actions/workflows/w.yml/dispatches" -d '{"ref": "main"}'
`,
      },
    })
    const writer = await play(box, {}, 'writer.yml')
    expect(writer.conclusion).toBe('success')
    await commit(box, 'app.txt', 'by the App', 'main', await box.installation())
    expect(started(box).map((one) => one.split(' ')[0])).toEqual([
      'workflow_dispatch',
      'workflow_dispatch',
      'push',
    ])
  })
})

describe('other events', () => {
  it('comments, labels and pull requests start the workflows that ask for them', async () => {
    const box = await startRunnerBox(
      `on: { issue_comment: { types: [created] }, issues: { types: [labeled] }, pull_request: {} }\n${JOBS}`,
    )
    const { rest } = box.as('wendy')
    await rest.issues.create({ ...REPO, title: 'Something', labels: [] })
    await rest.issues.createComment({ ...REPO, issue_number: 1, body: 'hello' })
    await rest.issues.addLabels({ ...REPO, issue_number: 1, labels: ['bug'] })
    const { data } = await rest.git.getRef({ ...REPO, ref: 'heads/main' })
    await rest.git.createRef({ ...REPO, ref: 'refs/heads/side', sha: data.object.sha })
    await commit(box, 'side.txt', 'from the side', 'side')
    await rest.pulls.create({ ...REPO, title: 'A pull', head: 'side', base: 'main' })
    await commit(box, 'more.txt', 'more', 'side')
    expect(started(box)).toEqual([
      'issue_comment refs/heads/main Something',
      'issues refs/heads/main Something',
      'pull_request refs/pull/2/merge A pull',
      'pull_request refs/pull/2/merge A pull',
    ])
    const pull = runs(box.box.store).all().at(-1)
    expect(pull?.mergeSha).not.toBe(pull?.headSha)
    const shown = await rest.actions.getWorkflowRun({ ...REPO, run_id: pull?.id ?? 0 })
    expect(shown.data).toMatchObject({ head_branch: 'side', conclusion: 'success' })
  })

  it('a schedule starts its workflow when its minute has come', async () => {
    const box = await startRunnerBox(`on: { schedule: [{ cron: '30 4 * * 1' }] }\n${JOBS}`)
    await startScheduled(box.box, new Date('2026-11-16T04:29:59Z'))
    expect(started(box)).toEqual([])
    await startScheduled(box.box, new Date('2026-11-16T04:30:20Z'))
    await box.runner?.settled()
    expect(started(box)).toEqual(['schedule refs/heads/main .github/workflows/w.yml'])
    const zoned = [{ cron: '0 6 * * *', timezone: 'Europe/Berlin' }]
    expect(listDue(zoned, new Date('2026-11-16T05:00:00Z'))).toEqual(['0 6 * * *'])
  })

  it('events start nothing while Actions is disabled', async () => {
    const box = await startRunnerBox(`on: push\n${JOBS}`)
    await box.as('olivia').rest.actions.setGithubActionsPermissionsRepository({ ...REPO, enabled: false })
    await commit(box, 'a.txt', 'code')
    expect(started(box)).toEqual([])
    await expect(dispatchWorkflow(box)).rejects.toThrow('disabled')
  })
})
