import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  type YAMLMap,
} from 'yaml'
import type { Mapping, Path } from '../layers.ts'

/** A mapping as plain values, and as nodes that know their position in the text. */
export interface YamlTree {
  readonly value: Mapping
  readonly document: Document.Parsed<ParsedNode>
  readonly lines: LineCounter
}

export interface Position {
  readonly line: number
  readonly column: number
}

/** Where the lines of a text start. The parser's own counter misses line ends inside text that it cannot read. */
export function countLines(source: string): LineCounter {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (const { index } of source.matchAll(/\n/g)) lines.addNewLine(index + 1)
  return lines
}

/** Line and column, both from 1. */
export function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}

/** The position of a value or its key. For a missing path, the position of its nearest ancestor. */
export function findPosition(tree: YamlTree, path: Path, at: 'key' | 'value'): Position {
  let node: unknown = tree.document.contents
  let start = startOf(node)
  for (const [index, step] of path.entries()) {
    const found = findChild(resolve(node, tree), step)
    if (found === undefined) break
    const isTarget = index === path.length - 1
    // Point at the key of an ancestor: a block mapping itself starts one line below.
    const wantsKey = !isTarget || at === 'key' || isEmpty(found.value)
    start = startOf(wantsKey ? (found.key ?? found.value) : found.value)
    node = found.value
  }
  return positionAt(tree.lines, start)
}

interface Child {
  readonly key: unknown
  readonly value: unknown
}

function findChild(node: unknown, step: string | number): Child | undefined {
  if (isSeq(node) && typeof step === 'number') {
    return step < node.items.length ? { key: undefined, value: node.items[step] } : undefined
  }
  return isMap(node) ? pairsOf(node).get(String(step)) : undefined
}

// Without an index, a file with thousands of unknown keys would take quadratic time.
const pairsByMap = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>()

function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
  const known = pairsByMap.get(map)
  if (known !== undefined) return known
  const pairs = new Map<string, Pair>()
  for (const pair of map.items) if (isScalar(pair.key)) pairs.set(String(pair.key.value), pair)
  pairsByMap.set(map, pairs)
  return pairs
}

// The library walks the whole document for each alias. Thousands of problems may lie behind one.
const targets = new WeakMap<Alias, unknown>()

function resolve(node: unknown, tree: YamlTree): unknown {
  if (!isAlias(node)) return node
  if (!targets.has(node)) targets.set(node, node.resolve(tree.document))
  return targets.get(node)
}

function isEmpty(node: unknown): boolean {
  return !isNode(node) || (isScalar(node) && node.value === null)
}

function startOf(node: unknown): number {
  const range: Node['range'] = isNode(node) ? node.range : undefined
  return range?.[0] ?? 0
}
