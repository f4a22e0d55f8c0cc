import { repositories } from '../../state/documents.ts'
import { type Html, html, path } from '../html.ts'
import { time } from '../layout.ts'
import { createSession, findToken } from '../session.ts'
import { STYLE } from '../style.ts'
import { type PageReply, pageRoute, type Visit } from '../visit.ts'

/** The list of repositories, the user picker and the style sheet. */
export const HOME_PAGES = [
  pageRoute('GET /', showHome),
  pageRoute('GET /{owner}', showHome),
  pageRoute('POST /-/session', pickUser),
  pageRoute('GET /-/style.css', async () => ({
    kind: 'file',
    bytes: STYLE,
    headers: { 'content-type': 'text/css; charset=utf-8', 'x-content-type-options': 'nosniff' },
  })),
]

async function showHome(visit: Visit): Promise<PageReply> {
  const rows: Html[] = []
  const all = repositories(visit.box.store).all()
  const ofOwner = all.filter(({ owner }) => visit.at.owner === undefined || owner === visit.at.owner)
  for (const { owner, name } of ofOwner) {
    // The API hides what the visitor may not see.
    const repo = await visit.api.find(path`/repos/${owner}/${name}`)
    if (repo === undefined) continue
    rows.push(html`<li><a href="${path`/${owner}/${name}`}"><strong>${owner}/${name}</strong></a>
${repo.findFlag('private') === true && html` <span class="tag">private</span>`}
<p>${repo.findText('description')}</p><p class="quiet">pushed ${time(repo.findText('pushed_at'))}</p></li>`)
  }
  const body = html`<h1>Repositories</h1>
${rows.length === 0 ? html`<p class="quiet">No repositories that you can see.</p>` : html`<ul class="rows">${rows}</ul>`}`
  return { kind: 'page', title: 'Repositories', body }
}

async function pickUser(visit: Visit): Promise<PageReply> {
  const login = visit.form.get('login') ?? ''
  const back = visit.form.get('back') ?? '/'
  const known = login !== '' && findToken(visit.box, login) !== undefined
  return {
    kind: 'redirect',
    to: ownPath(back),
    cookie: createSession(visit.box, known ? login : '').cookie,
  }
}

// Allow only the sandbox's own paths: `//elsewhere` would leave the site. Parsing as a URL encodes odd
// characters.
function ownPath(back: string): string {
  if (!/^\/(?![/\\])/.test(back) || !URL.canParse(back, 'http://box')) return '/'
  const { origin, pathname, search } = new URL(back, 'http://box')
  return origin === 'http://box' ? `${pathname}${search}` : '/'
}
