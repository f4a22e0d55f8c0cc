import type { Node } from 'web-tree-sitter'
import { normalizePath } from '../../guard/evaluator/command-words.ts'

/** A place where a program loads code into its own process, or starts it in another one. */
export interface SourceUse {
  readonly line: number
  readonly kind: 'loads' | 'starts'
  /** What it may mean: paths from the root, perhaps without extension. */
  readonly paths: readonly string[]
  /** Folders of which it takes a file that is only known when it runs: `import('./src/' + name)`. */
  readonly folders: readonly string[]
  /** Whether the path is relative to the program's own file, not to the working folder. */
  readonly isBesideFile: boolean
}

/** A parsed file. */
export interface Source {
  readonly root: Node
  readonly text: string
  /** Where the file is, with a slash at the end unless it is the root. */
  readonly folder: string
}

const LITERAL = new Set(['string_fragment', 'string_content'])
const MAX_STEPS = 4

/** The literal parts of an expression in order, those of the variables that it names included. */
export function findLiterals(node: Node, variables: ReadonlyMap<string, Node>, steps = 0): string[] {
  if (LITERAL.has(node.type)) return [node.text]
  const value = node.type === 'identifier' && steps < MAX_STEPS ? variables.get(node.text) : undefined
  if (value !== undefined) return findLiterals(value, variables, steps + 1)
  return node.namedChildren.flatMap((child) => (child === null ? [] : findLiterals(child, variables, steps)))
}

/** The paths that literals may stand for: each word of them, and all of them joined. */
export function pathsOf(literals: readonly string[], folder: string): string[] {
  const words = literals.flatMap((literal) => literal.split(/[\s"'<>|;&]+/))
  const named = [...words, literals.join('/')].filter((word) => /[\w-]/.test(word))
  const paths = named.flatMap((word) => [normalizePath(word), normalizePath(folder + word)])
  return [...new Set(paths.filter((path) => path !== undefined && path !== ''))].map((path) => path ?? '')
}

/** The folders that unfinished paths begin with. */
export function foldersOf(literals: readonly string[], folder: string): string[] {
  const unfinished = literals.filter((literal) => literal.endsWith('/'))
  return unfinished.flatMap((literal) => pathsOf([literal], folder))
}

/** The text of an expression with the variables that it names, as far as they are known. */
export function expandText(node: Node, variables: ReadonlyMap<string, Node>, steps = 0): string {
  const names = node.descendantsOfType('identifier').map((each) => each?.text ?? '')
  const values = steps < MAX_STEPS ? names.flatMap((name) => variables.get(name) ?? []) : []
  return [node.text, ...values.map((value) => expandText(value, variables, steps + 1))].join('\n')
}

const LAUNCHER = 'loreley-candidate'

/** Whether a call starts its program with the launcher. A program that is not written out gets the benefit of the doubt. */
export function isApart(
  call: Node,
  first: Node | null,
  source: Source,
  variables: ReadonlyMap<string, Node>,
): boolean {
  if (expandText(call, variables).includes(LAUNCHER)) return true
  const isPlain = first === null || first.type !== 'identifier' || variables.has(first.text)
  return !isPlain && source.text.includes(LAUNCHER)
}
