import type { Fields } from '../../http/fields.ts'
import { encodeSlashed, type Html, html, path } from '../html.ts'
import { pager, time } from '../layout.ts'
import { homeOf, numberOfPage, type PageReply, pageRoute, repoApi, type Visit } from '../visit.ts'
import { renderCheckList } from './checks.ts'
import { findPlainDiff, renderDiff } from './diff.ts'

/** Branches, commit lists, single commits with diff and checks, and comparisons. */
export const COMMIT_PAGES = [
  pageRoute('GET /{owner}/{repo}/branches', showBranches),
  pageRoute('GET /{owner}/{repo}/commits/{ref*}', showCommits),
  pageRoute('GET /{owner}/{repo}/commit/{sha}', showCommit),
  pageRoute('GET /{owner}/{repo}/compare/{basehead*}', showComparison),
]

async function showCommits(visit: Visit): Promise<PageReply> {
  const page = numberOfPage(visit)
  const ref = visit.at.ref ?? ''
  const { items, more } = await visit.api.list(`${repoApi(visit)}${path`/commits?sha=${ref}&page=${page}`}`)
  const body = html`<h1>Commits on <a href="${homeOf(visit)}/tree/${encodeSlashed(ref)}">${ref}</a></h1>
${renderCommitList(visit, items)}${pager(visit.url, page, more)}`
  return { kind: 'page', title: `Commits on ${ref}`, body }
}

/** A list of commits with subject, author and time. */
export function renderCommitList(visit: Visit, commits: readonly Fields[]): Html {
  const row = (commit: Fields): Html => {
    const sha = commit.text('sha')
    const inner = commit.findObject('commit')
    return html`<li><a href="${homeOf(visit)}/commit/${sha}">${inner?.findText('message')?.split('\n')[0] || '(no message)'}</a>
<p class="quiet"><code>${sha.slice(0, 7)}</code> ${authorOf(commit)} ${time(inner?.findObject('author')?.findText('date'))}</p></li>`
  }
  return html`<ul class="rows">${commits.map(row)}</ul>`
}

async function showCommit(visit: Visit): Promise<PageReply> {
  const plain = await findPlainDiff(visit, `${repoApi(visit)}/commits`, visit.at.sha ?? '')
  if (plain !== undefined) return plain
  const commit = await visit.api.get(`${repoApi(visit)}${path`/commits/${visit.at.sha ?? ''}`}`)
  const sha = commit.text('sha')
  const [subject = '', ...rest] = (commit.findObject('commit')?.findText('message') ?? '').split('\n')
  const parents = commit.objects('parents').map((parent) => {
    const id = parent.text('sha')
    return html` <a href="${homeOf(visit)}/commit/${id}"><code>${id.slice(0, 7)}</code></a>`
  })
  const body = html`<h1>${subject}</h1>${rest.join('').trim() !== '' && html`<pre>${rest.join('\n').trim()}</pre>`}
<p class="quiet">${authorOf(commit)} ${time(commit.findObject('commit')?.findObject('author')?.findText('date'))}
· <code>${sha}</code> · parents${parents} · <a href="${homeOf(visit)}/tree/${sha}">files</a></p>
${await renderCheckList(visit, sha)}${renderDiff(commit.objects('files'))}`
  return { kind: 'page', title: subject, body }
}

async function showComparison(visit: Visit): Promise<PageReply> {
  const names = visit.at.basehead ?? ''
  const found = await visit.api.get(`${repoApi(visit)}${path`/compare/${names}`}`)
  const body = html`<h1>${names}</h1><p class="quiet">${found.number('ahead_by')} ahead, ${found.number('behind_by')} behind</p>
${renderCommitList(visit, found.objects('commits'))}${renderDiff(found.objects('files'))}`
  return { kind: 'page', title: names, body }
}

function authorOf(commit: Fields): string {
  return (
    commit.findObject('author')?.findText('login') ??
    commit.findObject('commit')?.findObject('author')?.findText('name') ??
    'somebody'
  )
}

async function showBranches(visit: Visit): Promise<PageReply> {
  const page = numberOfPage(visit)
  const { items, more } = await visit.api.list(`${repoApi(visit)}/branches?per_page=100&page=${page}`)
  const rows = items.map((branch) => {
    const name = branch.text('name')
    const sha = branch.findObject('commit')?.text('sha') ?? ''
    return html`<tr><td><a href="${homeOf(visit)}/tree/${encodeSlashed(name)}">${name}</a>
<td><a href="${homeOf(visit)}/commit/${sha}"><code>${sha.slice(0, 7)}</code></a>
<td><a href="${homeOf(visit)}/commits/${encodeSlashed(name)}">commits</a></tr>`
  })
  const body = html`<h1>Branches</h1><div class="scroll"><table><tbody>${rows}</tbody></table></div>
${pager(visit.url, page, more)}`
  return { kind: 'page', title: 'Branches', body }
}
