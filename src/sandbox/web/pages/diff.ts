import type { Fields } from '../../http/fields.ts'
import { type Content, type Html, html } from '../html.ts'
import type { PageReply, Visit } from '../visit.ts'

const ENDING = /^(.+)\.(diff|patch)$/

/** The plain diff for `12.diff` or `<sha>.patch`, as in GitHub's `diff_url`. Undefined for other names. */
export async function findPlainDiff(visit: Visit, api: string, name: string): Promise<PageReply | undefined> {
  const [, id, form] = ENDING.exec(name) ?? []
  if (id === undefined) return undefined
  const bytes = await visit.api.raw(`${api}/${encodeURIComponent(id)}`, form === 'patch' ? 'patch' : 'diff')
  return {
    kind: 'file',
    bytes,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  }
}

const MAX_FILES = 100
const MAX_PATCH_CHARS = 200_000

/** Renders the changed files of a commit, comparison or pull request. */
export function renderDiff(files: readonly Fields[]): Html {
  const sum = (name: string): number => files.reduce((total, file) => total + file.number(name), 0)
  return html`<p class="quiet">${files.length} ${files.length === 1 ? 'file' : 'files'} changed,
<span class="plus">+${sum('additions')}</span> <span class="minus">−${sum('deletions')}</span></p>
${files.slice(0, MAX_FILES).map(renderFile)}
${files.length > MAX_FILES && html`<p class="quiet">${files.length - MAX_FILES} more files are not shown.</p>`}`
}

function renderFile(file: Fields): Html {
  const before = file.findText('previous_filename')
  const patch = file.findText('patch')
  const lines = patch?.slice(0, MAX_PATCH_CHARS).split('\n') ?? []
  return html`<section class="diff"><h3>${before !== undefined && `${before} → `}${file.text('filename')}
<span class="quiet">${file.text('status')}</span> <span class="plus">+${file.number('additions')}</span>
<span class="minus">−${file.number('deletions')}</span></h3>
${patch === undefined ? html`<p class="quiet">No text to show.</p>` : html`<div class="scroll"><table class="source"><tbody>${renderRows(lines)}</tbody></table></div>`}</section>`
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)/

function renderRows(lines: readonly string[]): Content {
  let before = 0
  let after = 0
  return lines.map((line) => {
    const hunk = HUNK.exec(line)
    if (hunk !== null) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      return html`<tr class="hunk"><td><td><td class="code">${line}</tr>`
    }
    const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''
    const left = kind === 'added' || line.startsWith('\\') ? undefined : before++
    const right = kind === 'removed' || line.startsWith('\\') ? undefined : after++
    return html`<tr class="${kind}"><td class="number">${left}<td class="number">${right}<td class="code">${line}</tr>`
  })
}
