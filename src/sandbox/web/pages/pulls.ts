import { ApiError } from '../../http/errors.ts'
import type { Fields } from '../../http/fields.ts'
import { type Content, encodeSlashed, type Html, html, path } from '../html.ts'
import { button, hiddenCsrf, pager, time } from '../layout.ts'
import { renderMarkdown } from '../markdown/markdown.ts'
import { homeOf, numberOfPage, type PageReply, pageRoute, redirect, repoApi, type Visit } from '../visit.ts'
import { renderCheckList } from './checks.ts'
import { renderCommitList } from './commits.ts'
import { renderConversation, renderLabelForms, renderStateButton } from './conversation.ts'
import { findPlainDiff, renderDiff } from './diff.ts'
import { renderIssueList, renderStateTabs } from './issues.ts'

/** The pull request list, single pull requests, and their actions. */
export const PULL_PAGES = [
  pageRoute('GET /{owner}/{repo}/pulls', showPulls),
  pageRoute('POST /{owner}/{repo}/pulls', createPull),
  pageRoute('GET /{owner}/{repo}/pull/{number}', showPull),
  pageRoute('GET /{owner}/{repo}/pull/{number}/{part}', showPull),
  pageRoute('POST /{owner}/{repo}/pull/{number}/merge', merge),
  pageRoute('POST /{owner}/{repo}/pull/{number}/ready', setReady),
  pageRoute('POST /{owner}/{repo}/pull/{number}/review', review),
]

const pullApi = (visit: Visit): string => `${repoApi(visit)}/pulls/${Number(visit.at.number)}`
const back = (visit: Visit): PageReply => redirect(`${homeOf(visit)}/pull/${Number(visit.at.number)}`)

async function showPulls(visit: Visit): Promise<PageReply> {
  const page = numberOfPage(visit)
  const state = visit.url.searchParams.get('state') === 'closed' ? 'closed' : 'open'
  const { items, more } = await visit.api.list(`${repoApi(visit)}${path`/pulls?state=${state}&page=${page}`}`)
  const body = html`<h1>Pull requests</h1>${renderStateTabs(state)}${renderIssueList(visit, items, 'pull')}${pager(visit.url, page, more)}
<details class="card"><summary>New pull request</summary><form method="post" action="${homeOf(visit)}/pulls">${hiddenCsrf(visit.session)}
<label>From branch <input name="head" required></label><label>Into <input name="base" required></label>
<label>Title <input name="title" required></label><label>Text <textarea name="body" rows="6"></textarea></label>
<button class="primary">Open as ${visit.session.login ?? 'nobody'}</button></form></details>`
  return { kind: 'page', title: 'Pull requests', body }
}

async function createPull(visit: Visit): Promise<PageReply> {
  const field = (name: string): string => visit.form.get(name) ?? ''
  const draft = { title: field('title'), body: field('body'), head: field('head'), base: field('base') }
  const made = await visit.api.send('POST', `${repoApi(visit)}/pulls`, draft)
  return redirect(`${homeOf(visit)}/pull/${made.number('number')}`)
}

async function showPull(visit: Visit): Promise<PageReply> {
  const plain = await findPlainDiff(visit, `${repoApi(visit)}/pulls`, visit.at.number ?? '')
  if (plain !== undefined) return plain
  const pull = await visit.api.get(pullApi(visit))
  const issue = await visit.api.get(`${repoApi(visit)}/issues/${Number(visit.at.number)}`)
  const number = pull.number('number')
  const files = await visit.api.findList(`${pullApi(visit)}/files?per_page=100`)
  const commits = await visit.api.findList(`${pullApi(visit)}/commits?per_page=100`)
  const body = html`<h1>${pull.text('title')} <span class="quiet">#${number}</span></h1>
<p>${renderPullState(pull)} ${pull.findObject('user')?.findText('login')} wants to merge ${renderEnd(visit, pull, 'head')}
into ${renderEnd(visit, pull, 'base')} ${time(pull.findText('created_at'))}</p>
${await renderLabelForms(visit, issue)}${await renderConversation(visit, issue, await renderReviews(visit))}
${await renderCheckList(visit, pull.findObject('head')?.text('sha') ?? '')}${renderMerging(visit, pull)}
<h2>Commits</h2>${renderCommitList(visit, commits)}<h2 id="files">Files</h2>${renderDiff(files)}`
  return { kind: 'page', title: `${pull.text('title')} #${number}`, body }
}

function renderPullState(pull: Fields): Html {
  if (pull.findFlag('merged') === true) return html`<span class="tag merged">merged</span>`
  if (pull.text('state') === 'closed') return html`<span class="tag bad">closed</span>`
  return pull.findFlag('draft') === true
    ? html`<span class="tag">draft</span>`
    : html`<span class="tag good">open</span>`
}

function renderEnd(visit: Visit, pull: Fields, end: 'head' | 'base'): Html {
  const ref = pull.findObject(end)?.findText('ref') ?? ''
  return html`<a class="tag" href="${homeOf(visit)}/tree/${encodeSlashed(ref)}">${ref}</a>`
}

async function renderReviews(visit: Visit): Promise<Content> {
  const reviews = await visit.api.findList(`${pullApi(visit)}/reviews`)
  const remarks = await visit.api.findList(`${pullApi(visit)}/comments?per_page=100`)
  const home = homeOf(visit)
  return [
    reviews.map(
      (
        one,
      ) => html`<article class="card post"><p class="quiet"><strong>${one.findObject('user')?.findText('login')}</strong>
reviewed: ${one.findText('state')?.toLowerCase().replaceAll('_', ' ')} ${time(one.findText('submitted_at'))}</p>
${renderMarkdown(one.findText('body') ?? '', { home })}</article>`,
    ),
    remarks.map(
      (
        one,
      ) => html`<article class="card post"><p class="quiet"><strong>${one.findObject('user')?.findText('login')}</strong>
on ${one.findText('path')}:${one.findNumber('line')}</p>${renderMarkdown(one.findText('body') ?? '', { home })}</article>`,
    ),
  ]
}

function renderMerging(visit: Visit, pull: Fields): Content {
  const { session } = visit
  if (pull.findFlag('merged') === true) return undefined
  const pullPath = `${homeOf(visit)}/pull/${pull.number('number')}`
  const isOpen = pull.text('state') === 'open'
  const isDraft = pull.findFlag('draft') === true
  const press = (method: string, label: string, look: 'primary' | 'plain'): Html =>
    button({
      session,
      action: `${pullPath}/merge`,
      label,
      fields: { method, sha: pull.findObject('head')?.text('sha') ?? '' },
      look,
    })
  const mergeable = pull.findText('mergeable')
  const ready = {
    session,
    action: `${pullPath}/ready`,
    label: isDraft ? 'Ready for review' : 'Back to draft',
  }
  const id = pull.text('node_id')
  return html`<section class="card"><h2>Merge</h2>
<p class="quiet">${mergeable === 'false' ? 'This branch has conflicts with its base.' : `Merge state: ${pull.findText('mergeable_state') ?? 'unknown'}`}</p>
${
  isOpen &&
  html`<p>${press('merge', 'Merge', 'primary')}${press('squash', 'Squash', 'plain')}${press('rebase', 'Rebase', 'plain')}</p>
<p>${button({ ...ready, fields: { id, draft: isDraft ? '' : 'yes' } })}
${button({ session, action: `${pullPath}/review`, label: 'Approve', fields: { event: 'APPROVE' } })}</p>`
}
<p>${renderStateButton(visit, pull)}</p></section>`
}

async function merge(visit: Visit): Promise<PageReply> {
  const merge_method = visit.form.get('method') ?? 'merge'
  await visit.api.send('PUT', `${pullApi(visit)}/merge`, { merge_method, sha: visit.form.get('sha') ?? '' })
  return back(visit)
}

// As on GitHub, only GraphQL can do this.
async function setReady(visit: Visit): Promise<PageReply> {
  const id = visit.form.get('id')
  if (id === null) throw new ApiError(422, 'No pull request given.')
  const mutation =
    visit.form.get('draft') === 'yes' ? 'convertPullRequestToDraft' : 'markPullRequestReadyForReview'
  await visit.api.graphql(
    `mutation($id: ID!) { ${mutation}(input: { pullRequestId: $id }) { clientMutationId } }`,
    { id },
  )
  return back(visit)
}

async function review(visit: Visit): Promise<PageReply> {
  await visit.api.send('POST', `${pullApi(visit)}/reviews`, { event: visit.form.get('event') ?? 'COMMENT' })
  return back(visit)
}
