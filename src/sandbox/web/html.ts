/** Markup that is safe to send. Only `html` and `trusted` create it. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

/** A value in a template. Text is escaped, markup is not, and `undefined` and `false` render nothing. */
export type Content = Html | string | number | undefined | false | readonly Content[]

/** Renders a template. Values belong between tags or in quoted attributes, and are escaped for both. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(parts.map((part, index) => part + render(values[index])).join(''))
}

/** Marks markup as safe. Only for the output of the Markdown renderer. */
export function trusted(markup: string): Html {
  return new Html(markup)
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char)
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function render(value: Content): string {
  if (value instanceof Html) return value.markup
  if (value === undefined || value === false) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return value.map(render).join('')
}

/** A path or address with encoded values. A slash in a value stays part of it. */
export function path(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts
    .map((part, index) => part + (index < values.length ? encodeURIComponent(String(values[index])) : ''))
    .join('')
}

/** Encodes a value but keeps its slashes, such as a branch or a file path. */
export function encodeSlashed(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/')
}

/** An external address, if it is safe in a link. */
export function findSafeUrl(url: string | undefined): string | undefined {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : undefined
}
