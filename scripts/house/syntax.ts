import { parseSync } from 'vite'

interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** A function of a source text, and how many lines it takes. */
export interface FunctionSpan {
  readonly name: string
  readonly line: number
  readonly lines: number
}

/** Every function, method and arrow function of a TypeScript text. */
export function findFunctions(path: string, text: string): FunctionSpan[] {
  const found: FunctionSpan[] = []
  const lineOf = lineFinder(text)
  walk(parse(path, text), (node, parent) => {
    if (!/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return
    const line = lineOf(node.start)
    found.push({
      name: nameOf(node) ?? nameOf(parent) ?? '(anonymous)',
      line,
      lines: lineOf(node.end) - line + 1,
    })
  })
  return found
}

/** The names in `it('…')`, `it.each(…)('…')` and the like. Parts that are filled in become `…`. */
export function findTestNames(path: string, text: string): { name: string; line: number }[] {
  const found: { name: string; line: number }[] = []
  const lineOf = lineFinder(text)
  walk(parse(path, text), (node) => {
    if (node.type !== 'CallExpression' || !/^(?:it|test)$/.test(rootOf(node.callee))) return
    const [first] = Array.isArray(node.arguments) ? node.arguments : []
    const name = isNode(first) ? textOf(first) : undefined
    if (name !== undefined) found.push({ name, line: lineOf(node.start) })
  })
  return found
}

function parse(path: string, text: string): unknown {
  return parseSync(path, text).program
}

function walk(
  value: unknown,
  visit: (node: SyntaxNode, parent: SyntaxNode | undefined) => void,
  parent?: SyntaxNode,
): void {
  if (Array.isArray(value)) {
    for (const each of value) walk(each, visit, parent)
    return
  }
  if (!isNode(value)) return
  visit(value, parent)
  for (const child of Object.values(value)) if (typeof child === 'object') walk(child, visit, value)
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function nameOf(node: SyntaxNode | undefined): string | undefined {
  const id = node?.id ?? node?.key
  return isNode(id) && typeof id.name === 'string' ? id.name : undefined
}

// The `it` of `it`, `it.each`, `it.runIf(…)` and `it.each(…)`.
function rootOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'Identifier') return String(node.name)
  return rootOf(node.object ?? node.callee ?? node.tag ?? node.expression)
}

function textOf(node: SyntaxNode): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis)) return undefined
  return node.quasis.map((part) => String(part?.value?.cooked ?? '')).join('…')
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [...text.matchAll(/\n/g)].map(({ index }) => index)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
