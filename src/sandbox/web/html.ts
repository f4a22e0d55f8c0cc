/** Markup that may be sent as it is. Only `html` and `trusted` make it. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

/** What may stand in a template: text is escaped, markup is not, and `undefined` and `false` leave nothing. */
export type Content = Html | string | number | undefined | false | readonly Content[]

/** Markup from a template. Values stand between tags or in quoted attributes, and are escaped for both. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(parts.map((part, index) => part + render(values[index])).join(''))
}

/** Markup that another part has made safe: the Markdown renderer's, and nothing else's. */
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

/** A path or address whose values are encoded: a slash in a value stays part of that value. */
export function path(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts
    .map((part, index) => part + (index < values.length ? encodeURIComponent(String(values[index])) : ''))
    .join('')
}

/** Encodes what has slashes of its own, such as a branch or a file's path. */
export function encodeSlashed(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/')
}

/** An address that came from outside, if it is one a link may point to. */
export function findSafeUrl(url: string | undefined): string | undefined {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : undefined
}
