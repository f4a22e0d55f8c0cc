import {
  type Alias,
  type Document,
  isScalar,
  Lexer,
  type LineCounter,
  Parser,
  visit,
  type YAMLError,
} from 'yaml'
import type { FoundProblem } from '../problem.ts'
import { positionAt } from './position.ts'

/**
 * Over a thousand lines' worth. The YAML parser needs microseconds for each token, so without a bound a file of 256 KiB
 * that is all commas would stop the server for seconds.
 */
const MAX_TOKENS = 10_000

// The schema is five levels deep. Deep nesting overflows the stack inside the YAML composer, and V8 may
// end the process for it instead of throwing: a hostile file must not stop a server.
const MAX_DEPTH = 100

/** More than anybody writes by hand; unbounded, aliases can expand to megabytes. */
export const MAX_ALIASES = 100

export const WRONG_FILE = 'A config has a few dozen lines. Is this the right file?'

const QUOTE_HINT = 'Put quotes around values that start with *, &, !, @, ` or %.'

interface Remedy {
  /** Replaces the library's message where it is written for programmers. */
  readonly message?: string
  readonly hint: string
}

const REMEDIES: Partial<Record<YAMLError['code'], Remedy>> = {
  TAB_AS_INDENT: { hint: 'Indent with spaces.' },
  TAG_RESOLVE_FAILED: { hint: QUOTE_HINT },
  BAD_SCALAR_START: { hint: QUOTE_HINT },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'a value with ": " must be quoted',
    hint: 'Put quotes around it.',
  },
  MULTIPLE_DOCS: { message: 'there is a second YAML document', hint: 'Delete the `---` line.' },
  MISSING_CHAR: { hint: 'Close the bracket or quote that is open here.' },
}

/** A problem when the text nests deeper or has more tokens than any config; found without recursion. */
export function findExcess(source: string, lines: LineCounter): FoundProblem | undefined {
  const parser = new Parser()
  let tokens = 0
  for (const lexeme of new Lexer().lex(source)) {
    if (++tokens > MAX_TOKENS) {
      const message = 'the file has too many lines or values'
      return { path: '', ...positionAt(lines, parser.offset), message, explain: () => WRONG_FILE }
    }
    // The tokens do not matter here; consuming them advances the parser.
    Array.from(parser.next(lexeme))
    if (parser.stack.length > MAX_DEPTH) {
      const message = 'values are nested too deeply'
      const hint = 'Look for brackets or indentation that never close.'
      return { path: '', ...positionAt(lines, parser.offset - lexeme.length), message, explain: () => hint }
    }
  }
  return undefined
}

/** A YAML syntax error with a remedy. */
export function explainSyntaxError(error: YAMLError, lines: LineCounter): FoundProblem {
  const remedy = REMEDIES[error.code] ?? { hint: 'Check indentation, quotes and brackets here.' }
  const { message = error.message, hint } = remedy
  return { path: '', ...positionAt(lines, error.pos[0]), message, explain: () => hint }
}

/** Duplicate keys, and `__proto__`, which has a special meaning in JavaScript. */
export function findKeyFaults(document: Document.Parsed, lines: LineCounter): FoundProblem[] {
  const problems: FoundProblem[] = []
  visit(document, {
    Map(_key, map) {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        if (!isScalar(key)) continue
        const path = String(key.value)
        const position = positionAt(lines, key.range?.[0] ?? 0)
        if (seen.has(path))
          problems.push({
            path,
            ...position,
            message: 'appears twice in one mapping',
            explain: () => 'Keep one of the two.',
          })
        if (path === '__proto__')
          problems.push({ path, ...position, message: 'is not a known key', explain: () => 'Delete it.' })
        seen.add(path)
      }
    },
  })
  return problems
}

/** Aliases without an anchor, or that contain themselves. */
export function findAliasFaults(document: Document.Parsed, lines: LineCounter): FoundProblem[] {
  const aliases: Alias[] = []
  visit(document, { Alias: (_key, alias) => void aliases.push(alias) })
  // Resolving walks the whole document, so a text full of aliases would take quadratic time.
  if (aliases.length > MAX_ALIASES)
    return [
      {
        path: '',
        ...positionAt(lines, aliases[0]?.range?.[0] ?? 0),
        message: `there are more than ${MAX_ALIASES} aliases`,
        explain: () => 'Write the values out instead of using aliases.',
      },
    ]
  return aliases.flatMap((alias) => {
    const message = aliasFault(alias, document)
    if (message === undefined) return []
    return [{ path: '', ...positionAt(lines, alias.range?.[0] ?? 0), message, explain: () => QUOTE_HINT }]
  })
}

function aliasFault(alias: Alias, document: Document.Parsed): string | undefined {
  const target = alias.resolve(document)
  if (target === undefined) return `*${alias.source} refers to an anchor that does not exist`
  const start = alias.range?.[0] ?? 0
  const [from = 0, , to = 0] = target.range ?? []
  return from <= start && start < to ? `*${alias.source} contains itself` : undefined
}
