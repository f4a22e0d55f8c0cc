import type { Node } from 'web-tree-sitter'
import { parserFor } from '../grammars.ts'

export interface Definition {
  readonly line: number
  /** Its first line, as written in the file. */
  readonly text: string
  readonly depth: number
}

const KIND =
  /^(?:.*_)?(?:function|method|class|interface|struct|enum|trait|impl|module|namespace|type|type_alias|constructor)_(?:declaration|definition|item|signature|specifier)$/
const MAX_DEPTH = 2
const MAX_TEXT = 110

/** The definitions of a file in order: functions, classes and their members, from the syntax tree. */
export async function findDefinitions(path: string, text: string): Promise<Definition[]> {
  const language = await parserFor(path)
  const tree = language?.parser.parse(text)
  if (!tree) return []
  try {
    const found: Definition[] = []
    collect(tree.rootNode, 0, found)
    return found
  } finally {
    tree.delete()
  }
}

function collect(node: Node, depth: number, found: Definition[]): void {
  for (const child of node.namedChildren) {
    if (child === null) continue
    const isDefinition = KIND.test(child.type) || isNamedFunction(child)
    if (isDefinition) found.push({ line: child.startPosition.row + 1, text: firstLine(child), depth })
    // Below a definition only its members matter, not what its body does.
    const inner = isDefinition ? depth + 1 : depth
    if (inner < MAX_DEPTH && !/block|statement_block/.test(child.type)) collect(child, inner, found)
  }
}

function isNamedFunction({ type, namedChildren }: Node): boolean {
  if (type !== 'lexical_declaration' && type !== 'variable_declaration') return false
  const values = namedChildren.map((each) => each?.childForFieldName('value')?.type ?? '')
  return values.some((value) => /function|class/.test(value))
}

function firstLine({ text }: Node): string {
  const line = text.slice(0, 400).split('\n', 1)[0]?.trimEnd() ?? ''
  return line.replace(/\s*[{:(]$/, '').slice(0, MAX_TEXT)
}
