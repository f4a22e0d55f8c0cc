import type { TreeCursor } from 'web-tree-sitter'
import type { LanguageParser } from '../../grammars.ts'
import { isDecimalLiteral } from '../edits/numbers.ts'
import { hasCounterpart } from '../edits/operators.ts'
import type { Source, Span, Statement } from './source.ts'
import { wholeLines } from './whole-lines.ts'

// Grammars name the same thing differently; these patterns cover the node types of all the grammars we load.
const NUMBER = /^number$|integer|float|int_literal|real_literal|number_literal/
const OPERATION =
  /binary|comparison_operator|boolean_operator|assignment|update_expression|(inc|dec)_statement/
const ARITHMETIC = /^binary(_expression|_operator)?$/
const TEXT_VALUE = /string|template|char/
const BLOCK =
  /^(program|module|source_file|compilation_unit|translation_unit|block|statement_block|statement_list|compound_statement|body_statement|block_body|then|do|do_group)$/
const DEFINITION =
  /import|export|package|use_|using|namespace|function|method|constructor|class|interface|struct|enum|trait|impl|type_alias|preproc|php_tag|decorated|attribute|comment/
const DECLARATION = /declaration|^let_/
const JUMP = /return|break|continue|throw|raise|goto/

/** Reads a text by its syntax tree. */
export function readTree({ parser, strictNumbers }: LanguageParser, text: string): Source {
  const { nodes, hasError } = toSyntaxNodes(parser, text)
  return {
    text,
    numbers: nodes.filter((node) => NUMBER.test(node.type) && isNumber(node, text)).map(toSpan),
    operators: nodes.filter(isOperator).map(toSpan),
    expressions: nodes.filter((node) => isArithmeticOperand(node, text)).map(toSpan),
    blocks: nodes.filter((node) => BLOCK.test(node.type)).map((node) => statementsOf(node, text)),
    strictNumbers,
    broken: hasError,
  }
}

function toSpan({ start, end }: SyntaxNode): Span {
  return { start, end }
}

function isNumber(node: SyntaxNode, text: string): boolean {
  // PowerShell nests a literal in a literal of the same span: the inner one is enough.
  const wrapsAnother = node.children.some((child) => child.start === node.start && child.end === node.end)
  return node.named && !wrapsAnother && isDecimalLiteral(text.slice(node.start, node.end))
}

// `<` in `List<A>` is the same token as in `a < b`: the parent tells them apart.
function isOperator(node: SyntaxNode): boolean {
  return !node.named && hasCounterpart(node.type) && OPERATION.test(node.parent?.type ?? '')
}

function isArithmeticOperand(node: SyntaxNode, text: string): boolean {
  const parent = node.parent
  if (parent === undefined || !node.named || !ARITHMETIC.test(parent.type)) return false
  if (isDecimalLiteral(text.slice(node.start, node.end))) return false
  return isArithmetic(parent) && !parent.children.some((operand) => TEXT_VALUE.test(operand.type))
}

function isArithmetic(operation: SyntaxNode): boolean {
  return operation.children.some((child) => !child.named && /^([-+*/<>]|[<>]=)$/.test(child.type))
}

function statementsOf(block: SyntaxNode, text: string): Statement[] {
  return block.children.flatMap((child) => {
    if (!child.named || DEFINITION.test(child.type)) return []
    const lines = wholeLines(text, child)
    return lines === undefined ? [] : [{ ...lines, kind: kindOf(child.type) }]
  })
}

function kindOf(type: string): Statement['kind'] {
  if (JUMP.test(type)) return 'jump'
  return DECLARATION.test(type) ? 'declaration' : 'plain'
}

/** A syntax node as plain data, so that it stays valid after the tree's memory is freed. */
interface SyntaxNode extends Span {
  readonly type: string
  /** False for tokens that stand for themselves, such as `+` or `if`. */
  readonly named: boolean
  readonly parent: SyntaxNode | undefined
  readonly children: SyntaxNode[]
}

/** Parses a text and lists its nodes in the order of the text, parents first. */
function toSyntaxNodes(
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
