import { isDecimalLiteral } from '../edits/numbers.ts'
import { hasCounterpart } from '../edits/operators.ts'
import type { Source, Span, Statement } from './source.ts'

// Numbers that stand alone: not part of a name, a version (1.2.3), a range (1..5) or a hexadecimal literal.
const NUMBER = /(?<![\w.])\d+(\.\d+)?([eE][+-]?\d+)?(?![\w.])/g
// Operators between blanks, with something before them on the line: the dash of a list item is not one. The lookbehind
// is bounded, because a long run of blanks would take quadratic time.
const OPERATOR = /(?<=\S[ \t]{1,8})(<=|>=|==|!=|~=|&&|\|\||\+=|-=|[-+*/<>]|and|or)(?=[ \t])/g
const STRING = /"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'|`(?:[^`\\\r\n]|\\.)*`/g
const COMMENT_LINE = /^[ \t]*(#|\/\/|--|;|%|\*|\/\*)[^\r\n]*/gm

/** Reads a text in an unknown language: finds numbers and operators by pattern and treats lines as statements. */
export function readTokens(text: string): Source {
  // Hide comments and strings behind blanks of the same length, so that positions stay valid.
  const code = text.replace(COMMENT_LINE, blank).replace(STRING, blank)
  return {
    text,
    numbers: spansOf(code, NUMBER).filter((span) => isDecimalLiteral(text.slice(span.start, span.end))),
    operators: spansOf(code, OPERATOR).filter((span) => hasCounterpart(text.slice(span.start, span.end))),
    expressions: [],
    blocks: runsOfLines(text, code),
    strictNumbers: true,
    broken: bracketDepth(code) !== 0,
  }
}

function blank(hidden: string): string {
  return ' '.repeat(hidden.length)
}

function spansOf(code: string, pattern: RegExp): Span[] {
  return [...code.matchAll(pattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }))
}

interface Line extends Span {
  readonly indent: number
  readonly code: string
}

function linesOf(text: string, code: string): Line[] {
  const lines = spansOf(text, /[^\r\n]+/g).map((span) => ({
    ...span,
    indent: text.slice(span.start, span.end).search(/\S/),
    code: code.slice(span.start, span.end),
  }))
  return lines.filter(({ indent }) => indent !== -1)
}

/** Neighbouring lines with the same indentation that are complete statements. */
function runsOfLines(text: string, code: string): Statement[][] {
  const runs: Statement[][] = []
  let indent = -1
  const lines = linesOf(text, code)
  for (const [index, line] of lines.entries()) {
    const opensBlock = (lines[index + 1]?.indent ?? 0) > line.indent
    const standsAlone = !opensBlock && bracketDepth(line.code) === 0 && hasSubstance(line.code)
    if (!standsAlone) {
      indent = -1
      continue
    }
    if (line.indent !== indent) runs.push([])
    indent = line.indent
    runs.at(-1)?.push({ start: line.start, end: line.end, kind: kindOf(line.code) })
  }
  return runs
}

// `end`, `else`, `done` and `}` belong to another line. A statement has two words, or a sign between them.
function hasSubstance(code: string): boolean {
  return /\w\s*[^\s\w]+\s*\w|\w\s+\w|\w\(/.test(code)
}

function kindOf(code: string): Statement['kind'] {
  if (/^\s*(return|break|continue|throw|raise|goto|exit)\b/.test(code)) return 'jump'
  return /^\s*(local|let|var|val|const|def|my)\b/.test(code) ? 'declaration' : 'plain'
}

/** Opened minus closed brackets; NaN if a bracket closes that was never opened. */
function bracketDepth(code: string): number {
  let depth = 0
  for (const char of code) {
    if ('([{'.includes(char)) depth++
    if (')]}'.includes(char)) depth--
    if (depth < 0) return Number.NaN
  }
  return depth
}
