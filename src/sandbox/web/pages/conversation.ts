import { createHash } from 'node:crypto'
import { ApiError } from '../../http/errors.ts'
import type { Fields } from '../../http/fields.ts'
import { type Content, type Html, html, path } from '../html.ts'
import { button, hiddenCsrf, time } from '../layout.ts'
import { renderMarkdown } from '../markdown/markdown.ts'
import { toggleTask } from '../markdown/tasks.ts'
import { homeOf, type PageReply, pageRoute, redirect, repoApi, type Visit } from '../visit.ts'

/** What issues and pull requests share: bodies, comments, labels, closing. */
export const CONVERSATION_PAGES = [
  pageRoute('POST /{owner}/{repo}/issues/{number}/comment', addComment),
  pageRoute('POST /{owner}/{repo}/issues/{number}/label', addLabel),
  pageRoute('POST /{owner}/{repo}/issues/{number}/unlabel', removeLabel),
  pageRoute('POST /{owner}/{repo}/issues/{number}/state', setState),
  pageRoute('POST /{owner}/{repo}/issues/{number}/task', tickInBody),
  pageRoute('POST /{owner}/{repo}/issues/{number}/comments/{id}/task', tickInComment),
]

/** The body, the comments, further content, and a form for a new comment. */
export async function renderConversation(visit: Visit, issue: Fields, more?: Content): Promise<Html> {
  const number = issue.number('number')
  const issuePath = `${homeOf(visit)}/issues/${number}`
  const comments = await visit.api.findList(`${repoApi(visit)}/issues/${number}/comments?per_page=100`)
  return html`${renderPost(visit, issue, `${issuePath}/task`)}
${comments.map((comment) => renderPost(visit, comment, `${issuePath}/comments/${comment.number('id')}/task`))}
${more}${renderCommentForm(visit, `${issuePath}/comment`)}`
}

function renderCommentForm({ session }: Visit, action: string): Html {
  if (session.login === undefined) return html`<p class="quiet">Pick a user above to comment.</p>`
  return html`<form class="card" method="post" action="${action}">${hiddenCsrf(session)}
<label for="comment">Comment as ${session.login}</label>
<textarea id="comment" name="body" rows="4" required></textarea><button class="primary">Comment</button></form>`
}

function renderPost(visit: Visit, post: Fields, action: string): Html {
  const text = post.findText('body') ?? ''
  const checkbox = ({ line, done }: { line: number; done: boolean }): Html =>
    html`<form class="tick" method="post" action="${action}">${hiddenCsrf(visit.session)}
<input type="hidden" name="line" value="${line}"><input type="hidden" name="seen" value="${digest(text)}">
<button role="checkbox" aria-checked="${done ? 'true' : 'false'}" title="${done ? 'Uncheck' : 'Check'}">${done ? '☑' : '☐'}</button></form>`
  const reactions = post.findObject('reactions')
  const reacted = REACTIONS.filter(([name]) => (reactions?.findNumber(name) ?? 0) > 0)
  return html`<article class="card post" id="issuecomment-${post.number('id')}">
<p class="quiet"><strong>${post.findObject('user')?.findText('login')}</strong> ${time(post.findText('created_at'))}
${isEdited(post) && 'edited'}</p>
${text === '' ? html`<p class="quiet">No description.</p>` : renderMarkdown(text, { checkbox, home: homeOf(visit) })}
${reacted.length > 0 && html`<p>${reacted.map(([name, sign]) => html`<span class="tag">${sign} ${reactions?.number(name)}</span> `)}</p>`}</article>`
}

// An issue's change time also covers its labels and comments.
function isEdited(post: Fields): boolean {
  return !post.has('number') && post.findText('updated_at') !== post.findText('created_at')
}

const REACTIONS: readonly (readonly [name: string, sign: string])[] = [
  ['+1', '👍'],
  ['-1', '👎'],
  ['laugh', '😄'],
  ['hooray', '🎉'],
  ['confused', '😕'],
  ['heart', '❤'],
  ['rocket', '🚀'],
  ['eyes', '👀'],
]

/** Labels with remove buttons, and a form to add one. */
export async function renderLabelForms(visit: Visit, issue: Fields): Promise<Html> {
  const { session } = visit
  const issuePath = `${homeOf(visit)}/issues/${issue.number('number')}`
  const known = await visit.api.findList(`${repoApi(visit)}/labels?per_page=100`)
  const has = issue.objects('labels').map((label) => label.text('name'))
  const rest = known.map((label) => label.text('name')).filter((name) => !has.includes(name))
  const drop = (label: string): Html =>
    button({
      session,
      action: `${issuePath}/unlabel`,
      label: `${label} ×`,
      fields: { label },
      hint: `Remove ${label}`,
    })
  return html`<div class="labels">${has.map(drop)}
<form class="inline" method="post" action="${issuePath}/label">${hiddenCsrf(session)}
<input name="label" list="labels" placeholder="label" aria-label="Label" required><datalist id="labels">${rest.map(
    (name) => html`<option value="${name}">`,
  )}</datalist><button>Add</button></form></div>`
}

/** Labels as tags, for lists. */
export function renderLabels(issue: Fields): Content {
  return issue.objects('labels').map((label) => html` <span class="tag">${label.text('name')}</span>`)
}

/** The button to close or reopen. */
export function renderStateButton(visit: Visit, issue: Fields): Html {
  const isOpen = issue.text('state') === 'open'
  return button({
    session: visit.session,
    action: `${homeOf(visit)}/issues/${issue.number('number')}/state`,
    label: isOpen ? 'Close' : 'Reopen',
    fields: { state: isOpen ? 'closed' : 'open' },
  })
}

const issueApi = (visit: Visit): string => `${repoApi(visit)}/issues/${Number(visit.at.number)}`

// An issue's page redirects to the pull request's page if it is one.
function back(visit: Visit, anchor = ''): PageReply {
  return redirect(`${homeOf(visit)}/issues/${Number(visit.at.number)}${anchor}`)
}

async function addComment(visit: Visit): Promise<PageReply> {
  const made = await visit.api.send('POST', `${issueApi(visit)}/comments`, {
    body: visit.form.get('body') ?? '',
  })
  return back(visit, `#issuecomment-${made.number('id')}`)
}

async function addLabel(visit: Visit): Promise<PageReply> {
  await visit.api.send('POST', `${issueApi(visit)}/labels`, { labels: [visit.form.get('label') ?? ''] })
  return back(visit)
}

async function removeLabel(visit: Visit): Promise<PageReply> {
  await visit.api.send('DELETE', `${issueApi(visit)}${path`/labels/${visit.form.get('label') ?? ''}`}`)
  return back(visit)
}

async function setState(visit: Visit): Promise<PageReply> {
  await visit.api.send('PATCH', issueApi(visit), { state: visit.form.get('state') ?? '' })
  return back(visit)
}

async function tickInBody(visit: Visit): Promise<PageReply> {
  await tick(visit, issueApi(visit))
  return back(visit)
}

async function tickInComment(visit: Visit): Promise<PageReply> {
  const id = Number(visit.at.id)
  await tick(visit, `${repoApi(visit)}/issues/comments/${id}`)
  return back(visit, `#issuecomment-${id}`)
}

async function tick(visit: Visit, url: string): Promise<void> {
  const text = (await visit.api.get(url)).findText('body') ?? ''
  // Somebody may have edited the text since this page was rendered.
  const isSeen = visit.form.get('seen') === digest(text)
  const body = isSeen ? toggleTask(text, Number(visit.form.get('line'))) : undefined
  if (body === undefined) throw new ApiError(409, 'The text has changed since. Reload the page.')
  await visit.api.send('PATCH', url, { body })
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
