import { findLog } from '../../actions/runs/logs.ts'
import { runProblems } from '../../actions/runs/runs.ts'
import type { Fields } from '../../http/fields.ts'
import { type Content, encodeSlashed, type Html, html, path } from '../html.ts'
import { button, hiddenCsrf, pager, time } from '../layout.ts'
import { homeOf, numberOfPage, type PageReply, pageRoute, redirect, repoApi, type Visit } from '../visit.ts'
import { renderJobOutput, renderState } from './checks.ts'
import { renderLines } from './files.ts'

/** Workflows and their runs, with jobs, logs and artifacts. */
export const ACTIONS_PAGES = [
  pageRoute('GET /{owner}/{repo}/actions', showRuns),
  pageRoute('POST /{owner}/{repo}/actions/dispatch', dispatchWorkflow),
  pageRoute('GET /{owner}/{repo}/actions/runs/{id}', showRun),
  pageRoute('POST /{owner}/{repo}/actions/runs/{id}/{command}', commandRun),
  pageRoute('GET /{owner}/{repo}/actions/runs/{id}/job/{job}', showJob),
  pageRoute('GET /{owner}/{repo}/actions/artifacts/{id}', sendArtifact),
]

async function showRuns(visit: Visit): Promise<PageReply> {
  const page = numberOfPage(visit)
  const found = await visit.api.get(`${repoApi(visit)}/actions/runs?page=${page}`)
  const workflows = (await visit.api.get(`${repoApi(visit)}/actions/workflows?per_page=100`)).objects(
    'workflows',
  )
  const runs = found.objects('workflow_runs')
  const body = html`<h1>Workflow runs</h1>${renderDispatch(visit, workflows)}
${runs.length === 0 ? html`<p class="quiet">None.</p>` : html`<ul class="rows">${runs.map((run) => renderRow(visit, run))}</ul>`}
${pager(visit.url, page, found.number('total_count') > page * 30)}`
  return { kind: 'page', title: 'Workflow runs', body }
}

function renderRow(visit: Visit, run: Fields): Html {
  return html`<li>${renderState(run)} <a href="${homeOf(visit)}/actions/runs/${run.number('id')}">${run.findText('display_title') ?? run.findText('name')}</a>
<p class="quiet">${run.findText('name')} #${run.number('run_number')} · ${run.findText('event')} · ${run.findText('head_branch')}
· ${run.findObject('actor')?.findText('login')} ${time(run.findText('created_at'))}</p></li>`
}

function renderDispatch(visit: Visit, workflows: readonly Fields[]): Content {
  if (workflows.length === 0) return undefined
  const option = (one: Fields): Html =>
    html`<option value="${one.number('id')}">${one.text('name')} (${one.text('path')})</option>`
  return html`<details class="card"><summary>Run a workflow</summary>
<form method="post" action="${homeOf(visit)}/actions/dispatch">${hiddenCsrf(visit.session)}
<label>Workflow <select name="workflow">${workflows.map(option)}</select></label>
<label>Branch <input name="ref" placeholder="the default branch"></label>
<label>Inputs, one <code>name=value</code> per line <textarea name="inputs" rows="3"></textarea></label>
<button class="primary">Run as ${visit.session.login ?? 'nobody'}</button></form></details>`
}

async function dispatchWorkflow(visit: Visit): Promise<PageReply> {
  const repo = await visit.api.get(repoApi(visit))
  const lines = (visit.form.get('inputs') ?? '').split(/\r?\n/).filter((line) => line.includes('='))
  const inputs = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1)]),
  )
  const ref = visit.form.get('ref') || repo.text('default_branch')
  const workflow = visit.form.get('workflow') ?? ''
  const body = { ref, ...(lines.length === 0 ? {} : { inputs }) }
  await visit.api.send('POST', `${repoApi(visit)}${path`/actions/workflows/${workflow}/dispatches`}`, body)
  return redirect(`${homeOf(visit)}/actions`)
}

async function showRun(visit: Visit): Promise<PageReply> {
  const { session } = visit
  const url = `${repoApi(visit)}/actions/runs/${Number(visit.at.id)}`
  const run = await visit.api.get(url)
  const jobs = (await visit.api.get(`${url}/jobs?per_page=100`)).objects('jobs')
  const artifacts = (await visit.api.find(`${url}/artifacts?per_page=100`))?.objects('artifacts') ?? []
  const runPath = `${homeOf(visit)}/actions/runs/${run.number('id')}`
  const sha = run.text('head_sha')
  const isOver = run.findText('status') === 'completed'
  const command = isOver
    ? { action: `${runPath}/rerun`, label: 'Re-run' }
    : { action: `${runPath}/cancel`, label: 'Cancel' }
  const row = (
    job: Fields,
  ): Html => html`<li>${renderState(job)} <a href="${runPath}/job/${job.number('id')}">${job.text('name')}</a>
<span class="quiet">${time(job.findText('started_at'))}</span></li>`
  const body = html`<h1>${renderState(run)} ${run.findText('display_title') ?? run.findText('name')}</h1>
<p class="quiet">${run.findText('name')} #${run.number('run_number')}, attempt ${run.findNumber('run_attempt')} · ${run.findText('event')}
on <a href="${homeOf(visit)}/tree/${encodeSlashed(run.findText('head_branch') ?? sha)}">${run.findText('head_branch') ?? sha}</a>
at <a href="${homeOf(visit)}/commit/${sha}"><code>${sha.slice(0, 7)}</code></a> · ${run.findObject('actor')?.findText('login')}</p>
<p>${button({ session, ...command })}</p>${renderProblems(visit, run)}<h2>Jobs</h2><ul class="rows">${jobs.map(row)}</ul>
${await Promise.all(jobs.map((job) => renderJobOutput(visit, job)))}
${artifacts.length > 0 && html`<h2>Artifacts</h2><ul class="rows">${artifacts.map((one) => renderArtifact(visit, one))}</ul>`}`
  return { kind: 'page', title: `Run ${run.number('id')}`, body }
}

// Read from the state: the API does not say why a run failed to start, but GitHub's page does.
function renderProblems(visit: Visit, run: Fields): Content {
  const problems = runProblems(visit.box.store).find(run.number('id')) ?? []
  return problems.map((problem) => html`<p class="error">${problem}</p>`)
}

function renderArtifact(visit: Visit, one: Fields): Html {
  return html`<li><a href="${homeOf(visit)}/actions/artifacts/${one.number('id')}">${one.text('name')}</a>
<span class="quiet">${one.number('size_in_bytes')} bytes</span></li>`
}

const RUN_COMMANDS = new Set(['cancel', 'rerun'])

async function commandRun(visit: Visit): Promise<PageReply> {
  const runPath = `/actions/runs/${Number(visit.at.id)}`
  const command = visit.at.command ?? ''
  if (RUN_COMMANDS.has(command)) await visit.api.send('POST', `${repoApi(visit)}${runPath}/${command}`)
  return redirect(`${homeOf(visit)}${runPath}`)
}

async function showJob(visit: Visit): Promise<PageReply> {
  const url = `${repoApi(visit)}/actions/jobs/${Number(visit.at.job)}`
  const job = await visit.api.get(url)
  // Read from the file: the API has no log until the job ends, but GitHub's page does.
  const text = findLog(visit.box, job.number('id'))?.toString('utf8')
  const step = (one: Fields): Html => html`<li>${renderState(one)} ${one.text('name')}</li>`
  const runPath = `${homeOf(visit)}/actions/runs/${Number(visit.at.id)}`
  const body = html`<h1>${renderState(job)} ${job.text('name')}</h1><p><a href="${runPath}">Back to the run</a></p>
<ul class="rows">${job.objects('steps').map(step)}</ul><h2>Log</h2>
${text === undefined ? html`<p class="quiet">No log yet.</p>` : renderLines(stripColours(text))}`
  return { kind: 'page', title: job.text('name'), body }
}

function stripColours(log: string): string {
  return log.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
}

async function sendArtifact(visit: Visit): Promise<PageReply> {
  const url = `${repoApi(visit)}/actions/artifacts/${Number(visit.at.id)}/zip`
  return redirect((await visit.api.findRedirect(url)) ?? homeOf(visit))
}
