import { requestAction, rerequestRun } from '../../checks/check-run-routes.ts'
import { type CheckRun, checkRuns } from '../../checks/checks.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import type { Fields } from '../../http/fields.ts'
import type { RepositoryDocument, User } from '../../state/documents.ts'
import { findRepository, findUser, hasRole } from '../../state/lookups.ts'
import { type Content, encodeSlashed, findSafeUrl, type Html, html } from '../html.ts'
import { button, time } from '../layout.ts'
import { renderMarkdown } from '../markdown/markdown.ts'
import { homeOf, type PageReply, pageRoute, redirect, repoApi, type Visit } from '../visit.ts'

/** Check runs with their buttons. GitHub has no API for pressing a button, only its page. */
export const CHECK_PAGES = [
  pageRoute('GET /{owner}/{repo}/runs/{id}', showRun),
  pageRoute('POST /{owner}/{repo}/runs/{id}/actions', pressAction),
  pageRoute('POST /{owner}/{repo}/runs/{id}/rerequest', pressAgain),
]

/** The checks and statuses of a commit, one per line, with buttons. */
export async function renderCheckList(visit: Visit, sha: string): Promise<Content> {
  const found = await visit.api.find(`${repoApi(visit)}/commits/${sha}/check-runs?per_page=100`)
  const combined = await visit.api.find(`${repoApi(visit)}/commits/${sha}/status`)
  const runs = found?.objects('check_runs') ?? []
  const statuses = combined?.objects('statuses') ?? []
  if (runs.length + statuses.length === 0) return undefined
  return html`<section class="card"><h2>Checks</h2><ul class="rows">
${runs.map((run) => renderRow(visit, run))}${statuses.map(renderStatus)}</ul></section>`
}

function renderRow(visit: Visit, run: Fields): Html {
  return html`<li>${renderState(run)} <a href="${homeOf(visit)}/runs/${run.number('id')}">${run.text('name')}</a>
<span class="quiet">${run.findObject('output')?.findText('title')}</span> ${renderButtons(visit, run.number('id'))}</li>`
}

function renderStatus(status: Fields): Html {
  const state = status.text('state')
  const link = findSafeUrl(status.findText('target_url'))
  const name = status.text('context')
  return html`<li><span class="tag ${lookOf(state)}">${state}</span>
${link === undefined ? name : html`<a href="${link}">${name}</a>`} <span class="quiet">${status.findText('description')}</span></li>`
}

/** The conclusion or status of a check, a job or a run. */
export function renderState(run: Fields): Html {
  const state = run.findText('conclusion') ?? run.findText('status') ?? ''
  return html`<span class="tag ${lookOf(state)}">${state.replaceAll('_', ' ')}</span>`
}

function lookOf(state: string): string {
  if (state === 'success') return 'good'
  return ['failure', 'error', 'timed_out', 'startup_failure', 'action_required'].includes(state) ? 'bad' : ''
}

// Read from the state, because the API does not show a check's buttons.
function renderButtons(visit: Visit, id: number): Content {
  const run = checkRuns(visit.box.store).find(id)
  return run?.actions.map(({ label, description, identifier }) =>
    button({
      session: visit.session,
      action: `${homeOf(visit)}/runs/${id}/actions`,
      label,
      fields: { identifier },
      hint: description,
    }),
  )
}

async function showRun(visit: Visit): Promise<PageReply> {
  const run = await visit.api.get(`${repoApi(visit)}/check-runs/${Number(visit.at.id)}`)
  const home = homeOf(visit)
  const sha = run.text('head_sha')
  const details = findSafeUrl(run.findText('details_url'))
  const again = {
    session: visit.session,
    action: `${home}/runs/${run.number('id')}/rerequest`,
    label: 'Re-run',
  }
  const body = html`<h1>${renderState(run)} ${run.text('name')}</h1>
<p class="quiet">by ${run.findObject('app')?.findText('slug')} on <a href="${home}/commit/${sha}"><code>${sha.slice(0, 7)}</code></a>
${time(run.findText('started_at'))} ${details !== undefined && html`· <a href="${details}">details</a>`}</p>
<p>${renderButtons(visit, run.number('id'))} ${run.findText('status') === 'completed' && button(again)}</p>
${await renderOutput(visit, run)}`
  return { kind: 'page', title: run.text('name'), body }
}

/** A check's title, text and annotations. */
async function renderOutput(visit: Visit, run: Fields): Promise<Content> {
  const url = `${repoApi(visit)}/check-runs/${run.number('id')}`
  const notes = await visit.api.findList(`${url}/annotations?per_page=100`)
  const output = run.findObject('output')
  const home = homeOf(visit)
  const sha = run.text('head_sha')
  const markdown = (name: string): Content => {
    const text = output?.findText(name)
    return text !== undefined && renderMarkdown(text, { home })
  }
  return html`${output?.findText('title') !== undefined && html`<h2>${output.findText('title')}</h2>`}
${markdown('summary')}${markdown('text')}
${notes.length > 0 && html`<h2>Annotations</h2><ul class="rows">${notes.map((note) => renderNote(home, sha, note))}</ul>`}`
}

/** The summaries and annotations of a job's check, if any. */
export async function renderJobOutput(visit: Visit, job: Fields): Promise<Content> {
  const check = await visit.api.find(`${repoApi(visit)}/check-runs/${job.number('id')}`)
  const output = check?.findObject('output')
  const isSilent =
    output?.findText('summary') === undefined && (output?.findNumber('annotations_count') ?? 0) === 0
  if (check === undefined || isSilent) return undefined
  return html`<section class="card"><h2>${job.text('name')}</h2>${await renderOutput(visit, check)}</section>`
}

function renderNote(home: string, sha: string, note: Fields): Html {
  const file = note.text('path')
  const line = note.number('start_line')
  return html`<li><span class="tag ${note.findText('annotation_level') === 'failure' && 'bad'}">${note.findText('annotation_level')}</span>
<a href="${home}/blob/${sha}/${encodeSlashed(file)}#L${line}">${file}:${line}</a> <strong>${note.findText('title')}</strong>
<pre>${note.findText('message')}</pre></li>`
}

async function pressAction(visit: Visit): Promise<PageReply> {
  const { repo, run, sender } = pressed(visit)
  const identifier = visit.form.get('identifier') ?? ''
  await requestAction(visit.box, repo, { runId: run.id, identifier, by: { sender } })
  return redirect(`${homeOf(visit)}/runs/${run.id}`)
}

async function pressAgain(visit: Visit): Promise<PageReply> {
  const { repo, run, sender } = pressed(visit)
  await rerequestRun(visit.box, repo, run, { sender })
  return redirect(`${homeOf(visit)}/runs/${run.id}`)
}

// Only writers may press buttons, as on GitHub's page.
function pressed({ box, session, at }: Visit): { repo: RepositoryDocument; run: CheckRun; sender: User } {
  const repo = findRepository(box.store, at.owner ?? '', at.repo ?? '')
  const sender = findUser(box.store, session.login ?? '')
  const run = checkRuns(box.store).find(at.id ?? '')
  if (sender === undefined) throw new ApiError(401, 'Pick a user first.')
  if (repo === undefined || run === undefined || !hasRole(repo, sender.login, 'read')) throw notFound()
  if (run.repositoryId !== repo.id) throw notFound()
  if (!hasRole(repo, sender.login, 'write')) throw new ApiError(403, 'Must have write access to Repository.')
  return { repo, run, sender }
}
