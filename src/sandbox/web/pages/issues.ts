import type { Fields } from '../../http/fields.ts'
import { type Html, html, path } from '../html.ts'
import { hiddenCsrf, pager, time } from '../layout.ts'
import { homeOf, numberOfPage, type PageReply, pageRoute, redirect, repoApi, type Visit } from '../visit.ts'
import {
  CONVERSATION_PAGES,
  renderConversation,
  renderLabelForms,
  renderLabels,
  renderStateButton,
} from './conversation.ts'

/** The issue list, single issues, and new issues. */
export const ISSUE_PAGES = [
  pageRoute('GET /{owner}/{repo}/issues', showIssues),
  pageRoute('POST /{owner}/{repo}/issues', createIssue),
  pageRoute('GET /{owner}/{repo}/issues/{number}', showIssue),
  ...CONVERSATION_PAGES,
]

async function showIssues(visit: Visit): Promise<PageReply> {
  const page = numberOfPage(visit)
  const state = visit.url.searchParams.get('state') === 'closed' ? 'closed' : 'open'
  const { items, more } = await visit.api.list(
    `${repoApi(visit)}${path`/issues?state=${state}&page=${page}`}`,
  )
  const issues = items.filter((issue) => !issue.has('pull_request'))
  const body = html`<h1>Issues</h1>${renderStateTabs(state)}${renderIssueList(visit, issues, 'issues')}${pager(visit.url, page, more)}
<details class="card"><summary>New issue</summary><form method="post" action="${homeOf(visit)}/issues">${hiddenCsrf(visit.session)}
<label>Title <input name="title" required></label><label>Text <textarea name="body" rows="6"></textarea></label>
<button class="primary">Open as ${visit.session.login ?? 'nobody'}</button></form></details>`
  return { kind: 'page', title: 'Issues', body }
}

/** Tabs for open and closed. */
export function renderStateTabs(state: string): Html {
  const tab = (name: string, label: string): Html =>
    html`<a href="?state=${name}"${name === state && html` aria-current="page"`}>${label}</a>`
  return html`<nav class="tabs">${tab('open', 'Open')}${tab('closed', 'Closed')}</nav>`
}

/** A list of issues or pull requests. */
export function renderIssueList(visit: Visit, items: readonly Fields[], kind: 'issues' | 'pull'): Html {
  const row = (
    item: Fields,
  ): Html => html`<li><a href="${homeOf(visit)}/${kind}/${item.number('number')}">${item.text('title')}</a>
${item.findFlag('draft') === true && html` <span class="tag">draft</span>`}${renderLabels(item)}
<p class="quiet">#${item.number('number')} by ${item.findObject('user')?.findText('login')} ${time(item.findText('created_at'))}</p></li>`
  return items.length === 0 ? html`<p class="quiet">None.</p>` : html`<ul class="rows">${items.map(row)}</ul>`
}

async function createIssue(visit: Visit): Promise<PageReply> {
  const draft = { title: visit.form.get('title') ?? '', body: visit.form.get('body') ?? '' }
  const made = await visit.api.send('POST', `${repoApi(visit)}/issues`, draft)
  return redirect(`${homeOf(visit)}/issues/${made.number('number')}`)
}

async function showIssue(visit: Visit): Promise<PageReply> {
  const issue = await visit.api.get(`${repoApi(visit)}/issues/${Number(visit.at.number)}`)
  const number = issue.number('number')
  if (issue.has('pull_request')) return redirect(`${homeOf(visit)}/pull/${number}`)
  const state = issue.text('state')
  const body = html`<h1>${issue.text('title')} <span class="quiet">#${number}</span></h1>
<p><span class="tag ${state === 'open' && 'good'}">${state}</span> opened by ${issue.findObject('user')?.findText('login')}
${time(issue.findText('created_at'))}</p>${await renderLabelForms(visit, issue)}
${await renderConversation(visit, issue)}<p>${renderStateButton(visit, issue)}</p>`
  return { kind: 'page', title: `${issue.text('title')} #${number}`, body }
}
