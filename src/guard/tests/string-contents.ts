/**
 * Single-line strings. An escaped character starts nothing, inside or outside a string. (This also keeps hostile text cheap:
 * an unclosed quote is searched once.)
 */
export const QUOTED = /\\.|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/.source

/**
 * A slash without a value before it starts a JavaScript regular expression, which may contain all those marks. Limited in
 * length, so that a missing end costs little.
 */
export const REGEX =
  /\/(?<=(?:^|[(,=:[!&|?{};\n]|\breturn)\s*\/)(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n]){0,100}\]|[^/\\\n[]){1,200}\//
    .source

const CODE = new RegExp(`${QUOTED}|${REGEX}|[\`{}]`, 'g')
const TEMPLATE = /\\.|`|\$\{/g
// Go's raw strings know neither escapes nor code inside.
const RAW = /`/g
const MARKS: ReadonlySet<string> = new Set(['`', '{', '}', '${'])

/**
 * The text with the contents of strings blanked, with the same length and line ends: a test inside a string is not a test.
 * Only for JavaScript and Go, whose strings can span lines; other texts are returned unchanged.
 */
export function blankStrings(path: string, text: string): string {
  if (/\.go$/.test(path)) return blankInside(text, RAW)
  return /\.[cm]?[jt]sx?$/.test(path) ? blankInside(text, TEMPLATE) : text
}

function blankInside(text: string, template: RegExp): string {
  const parts: string[] = []
  // What is open, the innermost last: a template, or braces with code in them, which may hold a template again.
  const open: ('template' | 'braces')[] = []
  for (let from = 0; from < text.length; ) {
    const isTemplate = open.at(-1) === 'template'
    const { before, token } = readToken(text, from, isTemplate ? template : CODE)
    parts.push(isTemplate ? spaces(before) : before, MARKS.has(token) ? token : hollow(token))
    from += before.length + token.length
    if (token === (isTemplate ? '`' : '}')) open.pop()
    else if (token === '`') open.push('template')
    else if (token === '{' || token === '${') open.push('braces')
  }
  return parts.join('')
}

function readToken(text: string, from: number, pattern: RegExp): { before: string; token: string } {
  pattern.lastIndex = from
  const match = pattern.exec(text)
  return { before: text.slice(from, match?.index), token: match?.[0] ?? '' }
}

// The quotes stay: what declares a test is known by the string that follows.
function hollow(token: string): string {
  return token.slice(0, 1) + spaces(token.slice(1, -1)) + token.slice(1).slice(-1)
}

function spaces(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ')
}
