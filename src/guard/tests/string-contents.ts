/**
 * Single-line strings. An escaped character starts nothing, inside or outside a string. (This also keeps hostile text cheap:
 * an unclosed quote is searched once.)
 */
export const QUOTED = /\\.|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/.source

/**
 * A slash without a value before it starts a JavaScript regular expression, which may contain quotes and comment marks.
 * Limited in length, so that a missing end costs little.
 */
export const REGEX =
  /\/(?<=(?:^|[(,=:[!&|?{};\n]|\breturn)\s*\/)(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n]){0,100}\]|[^/\\\n[]){1,200}\//
    .source

const CODE = new RegExp(`${QUOTED}|${REGEX}|[\`{}]`, 'g')
const TEMPLATE = /\\.|`|\$\{/g
// Go's raw strings have neither escapes nor embedded code.
const RAW = /`/g
const MARKS: ReadonlySet<string> = new Set(['`', '{', '}', '${'])

/**
 * Blanks the contents of strings, but keeps the length and line ends: a test inside a string is not a test. Only for
 * JavaScript and Go, whose strings can span lines; other texts are returned unchanged.
 */
export function blankStrings(path: string, text: string): string {
  if (/\.go$/.test(path)) return blankInside(text, RAW)
  return /\.[cm]?[jt]sx?$/.test(path) ? blankInside(text, TEMPLATE) : text
}

function blankInside(text: string, template: RegExp): string {
  const parts: string[] = []
  // What is open, innermost last: a template, or braces with code, which may contain another template.
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

// Keep the quotes: a test is recognised by the string that follows its call.
function hollow(token: string): string {
  return token.slice(0, 1) + spaces(token.slice(1, -1)) + token.slice(1).slice(-1)
}

function spaces(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ')
}
