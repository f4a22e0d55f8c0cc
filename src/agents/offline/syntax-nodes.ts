import type { TreeCursor } from 'web-tree-sitter'
import type { LanguageParser } from '../grammars.ts'
import type { Span } from './source.ts'

/** A syntax node as plain data: it stays valid when the tree's memory has been given back. */
export interface SyntaxNode extends Span {
  readonly type: string
  /** False for tokens that stand for themselves, such as `+` or `if`. */
  readonly named: boolean
  readonly parent: SyntaxNode | undefined
  readonly children: SyntaxNode[]
}

/** Parses a text and lists its nodes in the order of the text, parents first. */
export function toSyntaxNodes(
  parser: LanguageParser['parser'],
  text: string,
): { readonly nodes: readonly SyntaxNode[]; readonly hasError: boolean } {
  const tree = parser.parse(text)
  if (tree === null) return { nodes: [], hasError: true }
  try {
    const cursor = tree.walk()
    try {
      return { nodes: collect(cursor), hasError: tree.rootNode.hasError }
    } finally {
      cursor.delete()
    }
  } finally {
    tree.delete()
  }
}

// A loop, not a recursion: a generated file can nest deeper than the stack.
function collect(cursor: TreeCursor): SyntaxNode[] {
  const nodes: SyntaxNode[] = []
  let parent: SyntaxNode | undefined
  for (;;) {
    const node = toPlain(cursor, parent)
    nodes.push(node)
    parent?.children.push(node)
    if (cursor.gotoFirstChild()) {
      parent = node
      continue
    }
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return nodes
      parent = parent?.parent
    }
  }
}

function toPlain(cursor: TreeCursor, parent: SyntaxNode | undefined): SyntaxNode {
  return {
    type: cursor.nodeType,
    named: cursor.nodeIsNamed,
    start: cursor.startIndex,
    end: cursor.endIndex,
    parent,
    children: [],
  }
}
