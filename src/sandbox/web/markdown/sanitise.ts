import { escapeHtml, findSafeUrl } from '../html.ts'

/** Tags that Markdown may bring along. None of them can close the page's own elements or send anything. */
const TAGS = new Set(
  'a,b,blockquote,br,code,dd,del,details,dl,dt,em,h1,h2,h3,h4,h5,h6,hr,i,img,ins,kbd,li,ol,p,picture,pre,s,source,strong,sub,summary,sup,table,tbody,td,th,thead,tr,ul'.split(
    ',',
  ),
)

/** Attributes, each with the values it may have. */
const ATTRIBUTES: Readonly<Record<string, (value: string) => boolean>> = {
  align: (value) => /^(left|right|center)$/i.test(value),
  alt: () => true,
  href: isSafeTarget,
  height: (value) => /^\d{1,4}%?$/.test(value),
  media: () => true,
  open: (value) => value === '',
  src: isSafeTarget,
  srcset: isSafeTarget,
  title: () => true,
  width: (value) => /^\d{1,4}%?$/.test(value),
}

const PIECE = /<!--[\s\S]*?(?:-->|$)|<[^<>]*>|[^<]+|</g
const TAG = /^<(\/?)([a-z][a-z0-9]*)((?:\s[^<>]*)?)>$/i
const ATTRIBUTE = /([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/gi

/** Raw HTML from Markdown: comments vanish, allowed tags are written anew, all else is shown as text. */
export function sanitise(raw: string): string {
  return (raw.match(PIECE) ?? []).map(sanitisePiece).join('')
}

function sanitisePiece(piece: string): string {
  if (piece.startsWith('<!--')) return ''
  const [, slash = '', name = '', rest = ''] = TAG.exec(piece) ?? []
  const tag = name.toLowerCase()
  if (!TAGS.has(tag)) return escapeText(piece)
  return slash === '/' ? `</${tag}>` : `<${tag}${renderAttributes(rest)}>`
}

function renderAttributes(rest: string): string {
  return [...rest.matchAll(ATTRIBUTE)]
    .map(
      ([, name = '', double, single, bare]) => [name.toLowerCase(), double ?? single ?? bare ?? ''] as const,
    )
    .filter(([name, value]) => Object.hasOwn(ATTRIBUTES, name) && ATTRIBUTES[name]?.(value) === true)
    .map(([name, value]) => (value === '' ? ` ${name}=""` : ` ${name}="${escapeText(value)}"`))
    .join('')
}

function isSafeTarget(value: string): boolean {
  return findSafeUrl(value) !== undefined || /^[\w./#-]+$/.test(value)
}

// Entities in HTML stay what they were.
function escapeText(text: string): string {
  return escapeHtml(text).replace(/&amp;(#?\w{1,32};)/g, '&$1')
}

const ANY_TAG = /<(\/?)([a-z][a-z0-9]*)[^>]*>/g
const VOID = new Set(['br', 'hr', 'img', 'input', 'source'])

/**
 * Closes what was left open and drops what closes nothing, so that a text that somebody wrote ends where it
 * ends: an open `<a>` or `<b>` would go on through the rest of the page. Attributes must have `>` escaped.
 */
export function balance(markup: string): string {
  const open: string[] = []
  const balanced = markup.replace(ANY_TAG, (tag, slash: string, name: string) => {
    if (VOID.has(name)) return slash === '' ? tag : ''
    if (slash === '') {
      open.push(name)
      return tag
    }
    const from = open.lastIndexOf(name)
    return from === -1 ? '' : renderClosers(open.splice(from))
  })
  return balanced + renderClosers(open)
}

function renderClosers(names: readonly string[]): string {
  return names
    .toReversed()
    .map((name) => `</${name}>`)
    .join('')
}
