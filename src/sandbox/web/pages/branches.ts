import { encodeSlashed, html } from '../html.ts'
import { pager } from '../layout.ts'
import { homeOf, numberOfPage, type PageReply, pageRoute, repoApi, type Visit } from '../visit.ts'

/** All branches. */
export const BRANCH_PAGES = [pageRoute('GET /{owner}/{repo}/branches', showBranches)]

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
