import { describe, expect, it } from 'vitest'
import { completeJob, queueJob, startJob } from '../../../src/sandbox/actions/runs/jobs.ts'
import { appendLog } from '../../../src/sandbox/actions/runs/logs.ts'
import { completeRun } from '../../../src/sandbox/actions/runs/runs.ts'
import { dispatched, FILES, JOB } from '../actions/actions-support.ts'
import { REPO, startTestBox } from '../support.ts'
import { Browser } from './browser.ts'

describe('the pages of workflows', () => {
  it('the actions page starts a run with inputs for writers only', async () => {
    const workflow =
      'name: Go\non:\n  workflow_dispatch:\n    inputs:\n      word:\n        type: string\njobs: {}\n'
    const box = await startTestBox({ files: { ...FILES, '.github/workflows/go.yml': workflow } })
    const me = await new Browser(box).be('wendy')
    const page = await me.see('/acme/demo/actions')
    const id = /<option value="(\d+)">Go/.exec(page.text)?.[1] ?? ''
    const fields = { workflow: id, ref: '', inputs: 'word=a=b' }
    expect(
      (await (await new Browser(box).be('rita')).press('/acme/demo/actions/dispatch', fields)).status,
    ).toBe(403)
    const after = await me.press('/acme/demo/actions/dispatch', fields)
    expect(after.text).toContain('workflow_dispatch')
    const { data } = await box.as('rita').rest.actions.listWorkflowRunsForRepo(REPO)
    expect(data).toMatchObject({ total_count: 1, workflow_runs: [{ actor: { login: 'wendy' }, name: 'Go' }] })
  })

  it("a run's page shows jobs and hostile logs as text, and cancels the run", async () => {
    const { box, run } = await dispatched()
    const job = await queueJob(box.box, run, { ...JOB, name: '<script>job</script>' })
    await startJob(box.box, job.id, 'runner-1')
    appendLog(box.box, job.id, '\u001b[31mred\u001b[0m <script>alert(1)</script>\n')
    const me = await new Browser(box).be('wendy')
    const runPath = `/acme/demo/actions/runs/${run.id}`
    for (const path of ['/acme/demo/actions', runPath]) {
      const page = await me.see(path)
      expect(page.status).toBe(200)
      expect(page.text).not.toContain('<script')
    }
    await completeJob(box.box, job.id, 'failure')
    const log = await me.see(`${runPath}/job/${job.id}`)
    expect(log.text).toContain('red &lt;script&gt;')
    expect((await me.press(`${runPath}/cancel`)).status).toBe(200)
    await completeRun(box.box, run.id)
    expect((await me.see(runPath)).text).toContain('Re-run')
  })
})
