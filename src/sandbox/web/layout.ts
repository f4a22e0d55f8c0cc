import type { Box } from '../box.ts'
import { findRepository } from '../state/lookups.ts'
import { type Content, type Html, html } from './html.ts'
import { listLogins, type Session } from './session.ts'

interface Sheet {
  readonly box: Box
  readonly session: Session
  readonly url: URL
  readonly title: string
  readonly body: Html
}

/** The whole document around a page's body. */
export function renderPage({ box, session, url, title, body }: Sheet): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/-/style.css">
</head>
<body>
<header class="top">
<a class="brand" href="/">GitHub sandbox</a>
<nav><a href="/-/deliveries">Deliveries</a> <a href="/-/switches">Switches</a></nav>
${renderPicker(box, session, url)}
</header>
${renderTabs(box, url)}
<main>${body}</main>
</body>
</html>
`.markup
}

function renderPicker(box: Box, session: Session, url: URL): Html {
  const option = (login: string): Html =>
    html`<option value="${login}"${login === session.login && html` selected`}>${login}</option>`
  return html`<form class="picker" method="post" action="/-/session">${hiddenCsrf(session)}
<input type="hidden" name="back" value="${url.pathname}${url.search}">
<label>You are <select name="login"><option value="">nobody</option>${listLogins(box).map(option)}</select></label>
<button>Switch</button></form>`
}

const TABS: readonly (readonly [name: string, path: string, also: readonly string[]])[] = [
  ['Code', '', ['tree', 'blob', 'commits', 'commit', 'branches']],
  ['Issues', '/issues', []],
  ['Pull requests', '/pulls', ['pull']],
  ['Actions', '/actions', []],
]

function renderTabs(box: Box, url: URL): Content {
  const [, owner = '', name = '', section = ''] = url.pathname.split('/')
  const repo = findRepository(box.store, owner, name)
  if (repo === undefined) return undefined
  const home = `/${encodeURIComponent(repo.owner)}/${encodeURIComponent(repo.name)}`
  const tab = ([label, path, also]: (typeof TABS)[number]): Html => {
    const isHere = path.slice(1) === section || also.includes(section)
    return html`<a href="${home}${path}"${isHere && html` aria-current="page"`}>${label}</a>`
  }
  return html`<div class="repo"><p class="name"><a href="/">${repo.owner}</a> / <a href="${home}">${repo.name}</a></p>
<nav class="tabs">${TABS.map(tab)}</nav></div>`
}

/** The CSRF field of every form. */
export function hiddenCsrf(session: Session): Html {
  return html`<input type="hidden" name="csrf" value="${session.csrf}">`
}

interface Button {
  readonly session: Session
  readonly action: string
  readonly label: string
  readonly fields?: Readonly<Record<string, string>>
  readonly look?: 'primary' | 'plain' | 'danger'
  readonly hint?: string
}

/** A form that is a single button. */
export function button({ session, action, label, fields = {}, look = 'plain', hint }: Button): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form class="inline" method="post" action="${action}">${hiddenCsrf(session)}${hidden}
<button class="${look}"${hint !== undefined && html` title="${hint}"`}>${label}</button></form>`
}

/** Links to the previous and next page. */
export function pager(url: URL, page: number, more: boolean): Content {
  if (page === 1 && !more) return undefined
  const link = (to: number, label: string): Html => {
    const query = new URLSearchParams(url.searchParams)
    query.set('page', String(to))
    return html`<a href="?${query.toString()}">${label}</a>`
  }
  return html`<nav class="pager">${page > 1 && link(page - 1, 'Newer')} ${more && link(page + 1, 'Older')}</nav>`
}

/** A readable time, with the exact one in the tooltip. */
export function time(iso: string | undefined): Content {
  return (
    iso !== undefined &&
    html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 16).replace('T', ' ')}</time>`
  )
}
