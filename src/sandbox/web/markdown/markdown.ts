import MarkdownIt from 'markdown-it'
import { escapeHtml, Html, html, trusted } from '../html.ts'
import { balance, sanitise } from './sanitise.ts'
import { findTask } from './tasks.ts'

export interface MarkdownOptions {
  /** Renders the checkbox of a task. Without it, checkboxes are disabled. */
  readonly checkbox?: (task: { readonly line: number; readonly done: boolean }) => Html
  /** The base addresses of relative links. */
  readonly links?: { readonly pages: string; readonly images: string }
  /** `/owner/name`. If set, numbers such as `#12` become links. */
  readonly home?: string
}

/** GitHub's limit for bodies, so nothing longer needs rendering. */
const MAX_CHARS = 262_144

/** Renders Markdown as safe markup. Raw HTML is limited to allowed tags, and links to allowed schemes. */
export function renderMarkdown(text: string, options: MarkdownOptions = {}): Html {
  const markup = balance(parser.render(text.slice(0, MAX_CHARS), { ...options }))
  return html`<div class="markdown">${trusted(markup)}</div>`
}

const parser = new MarkdownIt({ html: true, linkify: true, breaks: true })
// Otherwise `README.md` would become a link to a site of that name.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false })

parser.renderer.rules.html_block = (tokens, index) => sanitise(tokens[index]?.content ?? '')
parser.renderer.rules.html_inline = (tokens, index) => sanitise(tokens[index]?.content ?? '')
parser.renderer.rules.code_inline = (tokens, index) =>
  `<code>${escapeHtml(tokens[index]?.content ?? '')}</code>`
parser.renderer.rules.fence = (tokens, index) =>
  `<pre><code>${escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`

parser.core.ruler.push('tasks', (state) => {
  const lines = state.src.split('\n')
  for (const [index, token] of state.tokens.entries()) {
    const line = token.type === 'list_item_open' ? token.map?.[0] : undefined
    const task = line === undefined ? undefined : findTask(lines[line] ?? '')
    const first = state.tokens[index + 2]?.children?.[0]
    if (line === undefined || task === undefined || first?.type !== 'text') continue
    if (!/^\[[ xX]\]\s/.test(first.content)) continue
    first.content = first.content.slice(3)
    const box = new state.Token('task', '', 0)
    box.meta = { line, done: task.done }
    state.tokens[index + 2]?.children?.unshift(box)
    token.attrJoin('class', 'task')
  }
})

parser.renderer.rules.task = (tokens, index, _options, env) => {
  const task = parseTask(tokens[index]?.meta)
  const drawn = parseOptions(env).checkbox?.(task)
  if (drawn instanceof Html) return drawn.markup
  return html`<input type="checkbox" disabled${task.done && html` checked`}>`.markup
}

parser.core.ruler.push('links', (state) => {
  const { links, home } = parseOptions(state.env)
  for (const token of state.tokens.flatMap((block) => block.children ?? [])) {
    const name = token.type === 'link_open' ? 'href' : token.type === 'image' ? 'src' : undefined
    const target = name === undefined ? '' : String(token.attrGet(name) ?? '')
    if (name !== undefined && links !== undefined && isRelative(target)) {
      token.attrSet(name, `${name === 'src' ? links.images : links.pages}${target.replace(/^\.\//, '')}`)
    }
    if (token.type === 'text' && home !== undefined) linkNumbers(token, home)
  }
})

function isRelative(target: string): boolean {
  return target !== '' && !/^([a-z][a-z0-9+.-]*:|\/|#)/i.test(target)
}

const NUMBER = /(^|[\s(])#(\d{1,9})\b/g

// The text is escaped here, and not again later.
function linkNumbers(token: { type: string; content: string; meta: unknown }, home: string): void {
  if (!/#\d/.test(token.content)) return
  token.meta = escapeHtml(token.content).replace(
    NUMBER,
    (_all, before: string, number: string) =>
      `${before}<a href="${escapeHtml(home)}/issues/${number}">#${number}</a>`,
  )
  token.type = 'numbered'
}

parser.renderer.rules.numbered = (tokens, index) => String(tokens[index]?.meta ?? '')

function parseTask(meta: unknown): { line: number; done: boolean } {
  return meta as { line: number; done: boolean }
}

function parseOptions(env: unknown): MarkdownOptions {
  return env as MarkdownOptions
}
