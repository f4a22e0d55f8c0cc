import { type Document, type LineCounter, type ParsedNode, parseDocument } from 'yaml'
import { isMapping } from '../layers.ts'
import type { FoundProblem } from '../problem.ts'
import {
  explainSyntaxError,
  findAliasFaults,
  findExcess,
  findKeyFaults,
  MAX_ALIASES,
  WRONG_FILE,
} from './faults.ts'
import { countLines, type YamlTree } from './position.ts'

/** A config has a few dozen lines. The bound makes a hostile file cheap to refuse. */
export const MAX_BYTES = 256 * 1024

export const TOO_LARGE = {
  message: 'the file is larger than 256 KiB',
  hint: WRONG_FILE,
} as const

export type YamlResult =
  | { readonly status: 'read'; readonly tree: YamlTree }
  | { readonly status: 'unreadable'; readonly problems: readonly FoundProblem[] }

/** Reads YAML without a schema, or says why it cannot. */
export function readYaml(text: string): YamlResult {
  if (Buffer.byteLength(text) > MAX_BYTES) return refuse(TOO_LARGE.message, TOO_LARGE.hint)
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  const lines = countLines(source)
  const excess = findExcess(source, lines)
  if (excess !== undefined) return { status: 'unreadable', problems: [excess] }

  // uniqueKeys is off because the library compares each key with all others: seconds for a large file.
  const document = parseDocument(source, {
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: 'error',
  })
  const problems = [
    ...[...document.errors, ...document.warnings].map((error) => explainSyntaxError(error, lines)),
    ...findKeyFaults(document, lines),
    ...findAliasFaults(document, lines),
  ]
  return problems.length > 0 ? { status: 'unreadable', problems } : toTree(document, lines)
}

function toTree(document: Document.Parsed<ParsedNode>, lines: LineCounter): YamlResult {
  const converted = tryConvert(document)
  if (converted.status === 'too-many-aliases')
    return refuse('its aliases expand to too many values', 'Write the values out instead of using aliases.')
  const { value } = converted
  if (value === null || value === undefined)
    return refuse('the file is empty', 'Run `loreley init` to create one.')
  if (!isMapping(value))
    return refuse(
      'must hold a mapping of keys to values',
      'Start with a line such as `goal: Make parsing faster.`',
    )
  return { status: 'read', tree: { value, document, lines } }
}

type Conversion =
  | { readonly status: 'converted'; readonly value: unknown }
  | { readonly status: 'too-many-aliases' }

function tryConvert(document: Document.Parsed<ParsedNode>): Conversion {
  try {
    return { status: 'converted', value: document.toJS({ maxAliasCount: MAX_ALIASES }) }
  } catch (error) {
    // Unresolved and circular aliases were found earlier, so this can only be the count.
    if (error instanceof ReferenceError) return { status: 'too-many-aliases' }
    throw error
  }
}

function refuse(message: string, hint: string): YamlResult {
  return { status: 'unreadable', problems: [{ path: '', line: 1, column: 1, message, explain: () => hint }] }
}
