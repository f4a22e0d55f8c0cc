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
  // Code is copied in long pieces: hostile text may have hundreds of thousands of tokens.
  let copied = 0
  for (let from = 0; from < text.length; ) {
    const isTemplate = open.at(-1) === 'template'
    const pattern = isTemplate ? template : CODE
    pattern.lastIndex = from
    const match = pattern.exec(text)
    const { index: at, 0: token } = match ?? { index: text.length, 0: '' }
    if (isTemplate) {
      parts.push(text.slice(copied, from), spaces(text.slice(from, at)))
      copied = at
    }
    // Keep the quotes: a test is recognised by the string that follows its call. No token has a line end.
    if (token.length > 2) {
      parts.push(text.slice(copied, at + 1), ' '.repeat(token.length - 2))
      copied = at + token.length - 1
    }
    from = at + token.length
    if (token === (isTemplate ? '`' : '}')) open.pop()
    else if (token === '`') open.push('template')
    else if (token === '{' || token === '${') open.push('braces')
  }
  parts.push(text.slice(copied))
  return parts.join('')
}

function spaces(text: string): string {
  return text.replaceAll(/[^\n]+/g, (line) => ' '.repeat(line.length))
}
