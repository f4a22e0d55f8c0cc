import { escapeHtml, findSafeUrl } from '../html.ts'

/** Tags allowed in Markdown. None of them can close the page's own elements or submit anything. */
const TAGS = new Set(
  'a,b,blockquote,br,code,dd,del,details,dl,dt,em,h1,h2,h3,h4,h5,h6,hr,i,img,ins,kbd,li,ol,p,picture,pre,s,source,strong,sub,summary,sup,table,tbody,td,th,thead,tr,ul'.split(
    ',',
  ),
)

/** Allowed attributes, each with a test of its value. */
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

/** Sanitises raw HTML: removes comments, rewrites allowed tags, and shows everything else as text. */
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

// Keep existing HTML entities.
function escapeText(text: string): string {
  return escapeHtml(text).replace(/&amp;(#?\w{1,32};)/g, '&$1')
}

const ANY_TAG = /<(\/?)([a-z][a-z0-9]*)[^>]*>/g
const VOID = new Set(['br', 'hr', 'img', 'input', 'source'])

/**
 * Closes open tags and drops stray closing tags, so that user text cannot affect the rest of the page. `>` in
 * attributes must be escaped.
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
