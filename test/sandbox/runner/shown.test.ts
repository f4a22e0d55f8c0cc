import { expect, it } from 'vitest'
import { jobs } from '../../../src/sandbox/actions/documents.ts'
import { REPO } from '../support.ts'
import { Browser } from '../web/browser.ts'
import { dispatchWorkflow, play, readRun, startRunnerBox } from './runner-support.ts'

it("a run's page shows summaries as Markdown, and annotations with file and line", async () => {
  const box = await startRunnerBox(`on: workflow_dispatch
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: |
          echo '**well** <script>done</script>' >> "$GITHUB_STEP_SUMMARY"
          echo '::warning file=README.md,line=1,title=Look::too <b>short</b>'
`)
  const { id, jobs: played } = await play(box)
  const page = await (await new Browser(box).be('rita')).see(`/acme/demo/actions/runs/${id}`)
  expect(page.text).toContain('<strong>well</strong>')
  expect(page.text).not.toContain('<script')
  expect(page.text).toContain('README.md:1')
  expect(page.text).toContain('too &lt;b&gt;short')
  const notes = await box
    .as('rita')
    .rest.checks.listAnnotations({ ...REPO, check_run_id: played[0]?.id ?? 0 })
  expect(notes.data).toMatchObject([{ path: 'README.md', annotation_level: 'warning', title: 'Look' }])
})

it('the page of a run that cannot start says why', async () => {
  const box = await startRunnerBox(
    'on: workflow_dispatch\njobs:\n  a:\n    needs: b\n    runs-on: x\n    steps: []\n',
  )
  const { id } = await play(box)
  const page = await (await new Browser(box).be('rita')).see(`/acme/demo/actions/runs/${id}`)
  expect(page.text).toMatch(/class="error">[^<]*b/)
})

it('a forced cancel also ends steps with always()', async () => {
  const box = await startRunnerBox(`on: workflow_dispatch
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - { if: always(), run: echo begun; sleep 300 }
      - { if: always(), run: echo late }
`)
  const id = await dispatchWorkflow(box)
  const isRunning = () => jobs(box.box.store).all()[0]?.status === 'in_progress'
  await expect.poll(isRunning, { timeout: 30_000 }).toBe(true)
  await box.as('wendy').rest.actions.forceCancelWorkflowRun({ ...REPO, run_id: id })
  await box.runner?.settled()
  const run = await readRun(box, id)
  expect(run.conclusion).toBe('cancelled')
  expect(run.log('a')).not.toContain('\nlate')
})
