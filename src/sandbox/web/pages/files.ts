import { notFound } from '../../http/errors.ts'
import type { Fields } from '../../http/fields.ts'
import { type Content, encodeSlashed, type Html, html, path } from '../html.ts'
import { renderMarkdown } from '../markdown/markdown.ts'
import { homeOf, type PageReply, pageRoute, redirect, repoApi, type Visit } from '../visit.ts'

/** Folders, files and raw files. */
export const FILE_PAGES = [
  pageRoute('GET /{owner}/{repo}', (visit) => showLocation(visit, undefined)),
  pageRoute('GET /{owner}/{repo}/tree/{rest*}', (visit) => showLocation(visit, visit.at.rest)),
  pageRoute('GET /{owner}/{repo}/blob/{rest*}', showBlob),
  pageRoute('GET /{owner}/{repo}/raw/{rest*}', sendRaw),
]

interface FileLocation {
  readonly ref: string
  readonly file: string
}

// `?raw=true` is how GitHub embeds a file of a private repository in a comment.
async function showBlob(visit: Visit): Promise<PageReply> {
  const { rest = '' } = visit.at
  return visit.url.searchParams.get('raw') === 'true'
    ? redirect(`${homeOf(visit)}/raw/${encodeSlashed(rest)}`)
    : await showLocation(visit, rest)
}

async function showLocation(visit: Visit, rest: string | undefined): Promise<PageReply> {
  const repo = await visit.api.get(repoApi(visit))
  const title = repo.text('full_name')
  const location =
    rest === undefined ? { ref: repo.text('default_branch'), file: '' } : await splitRef(visit, rest)
  const head = html`<p class="path">${renderTrail(visit, location)}</p>`
  const clone = location.file === '' && renderClone(repo)
  const top = await visit.api.find(`${repoApi(visit)}${path`/commits/${location.ref}`}`)
  if (top === undefined) return { kind: 'page', title, body: html`${clone}<p>This repository is empty.</p>` }
  const url = contentsUrl(visit, location)
  const found = await visit.api.get(url)
  const last = html`<p class="quiet"><a href="${homeOf(visit)}/commit/${top.text('sha')}">
<code>${top.text('sha').slice(0, 7)}</code></a> ${top.findObject('commit')?.findText('message')?.split('\n')[0]}
· <a href="${homeOf(visit)}/commits/${encodeSlashed(location.ref)}">commits</a> · <a href="${homeOf(visit)}/branches">branches</a></p>`
  const isFile = found.findText('type') !== undefined
  const inner = isFile ? await renderFile(visit, location, found) : await renderFolder(visit, location)
  return {
    kind: 'page',
    title: location.file === '' ? title : location.file,
    body: html`${head}${last}${inner}${clone}`,
  }
}

function renderTrail(visit: Visit, { ref, file }: FileLocation): Content {
  const home = homeOf(visit)
  const parts = file.split('/').filter(Boolean)
  const link = (count: number): string =>
    `${home}/tree/${encodeSlashed(ref)}${parts
      .slice(0, count)
      .map((part) => `/${encodeURIComponent(part)}`)
      .join('')}`
  return [
    html`<a class="tag" href="${link(0)}">${ref}</a> `,
    parts.map((part, index) =>
      index === parts.length - 1
        ? html`/ <strong>${part}</strong>`
        : html`/ <a href="${link(index + 1)}">${part}</a> `,
    ),
  ]
}

function renderClone(repo: Fields): Html {
  return html`<details class="clone"><summary>Clone</summary><pre>git clone ${repo.text('clone_url')}</pre>
<p class="quiet">To push, or to clone a private repository, use a user's token as the password.</p></details>`
}

async function renderFolder(visit: Visit, location: FileLocation): Promise<Html> {
  const { items } = await visit.api.list(contentsUrl(visit, location))
  const isFolder = (entry: Fields): boolean => entry.findText('type') === 'dir'
  const sorted = [...items.filter(isFolder), ...items.filter((entry) => !isFolder(entry))]
  const readme = items.find((entry) => /^readme\.(md|markdown)$/i.test(entry.text('name')))
  const row = (entry: Fields): Html => {
    const kind = isFolder(entry) ? 'tree' : 'blob'
    const link = `${homeOf(visit)}/${kind}/${encodeSlashed(location.ref)}/${encodeSlashed(entry.text('path'))}`
    return html`<tr><td><a href="${link}">${entry.text('name')}${isFolder(entry) && '/'}</a><td class="number">${
      isFolder(entry) ? '' : renderSize(entry.number('size'))
    }</tr>`
  }
  const shown =
    readme === undefined ? undefined : await renderReadme(visit, { ...location, file: readme.text('path') })
  return html`<table class="files"><tbody>${sorted.map(row)}</tbody></table>${shown}`
}

async function renderReadme(visit: Visit, location: FileLocation): Promise<Html> {
  const bytes = await visit.api.raw(contentsUrl(visit, location))
  return html`<section class="card"><h2 class="quiet">${location.file}</h2>${renderText(visit, location, bytes)}</section>`
}

async function renderFile(visit: Visit, location: FileLocation, found: Fields): Promise<Html> {
  const raw = `${homeOf(visit)}/raw/${encodeSlashed(location.ref)}/${encodeSlashed(location.file)}`
  const bar = html`<p class="quiet">${renderSize(found.number('size'))} · <a href="${raw}">raw</a></p>`
  if (found.findText('type') !== 'file') return html`${bar}<p>A ${found.findText('type')}.</p>`
  if (imageType(location.file) !== undefined) {
    return html`${bar}<p><img class="shown" src="${raw}" alt="${location.file}"></p>`
  }
  const bytes = await visit.api.raw(contentsUrl(visit, location))
  if (isBinary(bytes)) return html`${bar}<p>Binary file.</p>`
  const isMarkdown = /\.(md|markdown)$/i.test(location.file)
  return html`${bar}${isMarkdown && html`<section class="card">${renderText(visit, location, bytes)}</section>`}
${renderLines(Buffer.from(bytes).toString('utf8'))}`
}

function renderText(visit: Visit, { ref, file }: FileLocation, bytes: Uint8Array): Html {
  const folder = file.includes('/') ? `${encodeSlashed(file.slice(0, file.lastIndexOf('/')))}/` : ''
  const base = (kind: string): string => `${homeOf(visit)}/${kind}/${encodeSlashed(ref)}/${folder}`
  const links = { pages: base('blob'), images: base('raw') }
  return renderMarkdown(Buffer.from(bytes).toString('utf8'), { links, home: homeOf(visit) })
}

const MAX_LINES = 5000

/** Text with numbered lines and anchors such as `#L12`. */
export function renderLines(text: string): Html {
  const lines = text.replace(/\n$/, '').split('\n')
  const row = (line: string, index: number): Html =>
    html`<tr id="L${index + 1}"><td class="number"><a href="#L${index + 1}">${index + 1}</a><td class="code">${line}</tr>`
  return html`<div class="scroll"><table class="source"><tbody>${lines.slice(0, MAX_LINES).map(row)}</tbody></table></div>
${lines.length > MAX_LINES && html`<p class="quiet">${lines.length - MAX_LINES} more lines are in the raw file.</p>`}`
}

async function sendRaw(visit: Visit): Promise<PageReply> {
  const location = await splitRef(visit, visit.at.rest ?? '')
  const bytes = await visit.api.raw(contentsUrl(visit, location))
  const type =
    imageType(location.file) ?? (isBinary(bytes) ? 'application/octet-stream' : 'text/plain; charset=utf-8')
  return {
    kind: 'file',
    bytes,
    headers: {
      'content-type': type,
      'x-content-type-options': 'nosniff',
      // An SVG opened on its own is a document. It may draw and nothing else.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'cache-control': 'no-store',
    },
  }
}

function contentsUrl(visit: Visit, { ref, file }: FileLocation): string {
  return `${repoApi(visit)}/contents/${encodeSlashed(file)}${path`?ref=${ref}`}`
}

const IMAGES: Readonly<Record<string, string>> = {
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
}

function imageType(file: string): string | undefined {
  const ending = file.slice(file.lastIndexOf('.') + 1).toLowerCase()
  return Object.hasOwn(IMAGES, ending) ? IMAGES[ending] : undefined
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0)
}

function renderSize(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 102.4) / 10} KB`
}

/** Splits `feature/x/src/a.ts` into the ref `feature/x` and the path. Tries branches, then tags, then SHAs. */
async function splitRef(visit: Visit, rest: string): Promise<{ ref: string; file: string }> {
  const [first = ''] = rest.split('/')
  for (const kind of ['heads', 'tags']) {
    const found = await visit.api.findList(
      `${repoApi(visit)}${path`/git/matching-refs/${`${kind}/${first}`}`}`,
    )
    const names = found.map((one) => one.text('ref').slice(`refs/${kind}/`.length))
    const ref = names.filter((name) => rest === name || rest.startsWith(`${name}/`)).sort(byLength)[0]
    if (ref !== undefined) return { ref, file: rest.slice(ref.length + 1) }
  }
  if (!/^[0-9a-f]{7,40}$|^HEAD$/.test(first)) throw notFound()
  return { ref: first, file: rest.slice(first.length + 1) }
}

function byLength(a: string, b: string): number {
  return b.length - a.length
}
