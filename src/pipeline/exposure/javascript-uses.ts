import type { Node } from 'web-tree-sitter'
import {
  expandText,
  findLiterals,
  foldersOf,
  isApart,
  pathsOf,
  type Source,
  type SourceUse,
} from './source-uses.ts'

const LOADS = /^(import|require|eval|runIn(This|New)?Context|compileFunction|Script|Function|Worker)$/
const STARTS = /^(spawn|spawnSync|exec|execSync|execFile|execFileSync|fork|execa|execaSync|execaCommand|\$)$/
const BESIDE = /\bimport\.meta\b|\b__dirname\b|\b__filename\b/

/** Imports, `require`, `import()`, code that is evaluated, workers and child processes. */
export function readJavaScript(source: Source): SourceUse[] {
  const { root } = source
  const variables = readVariables(root)
  const imports = root
    .descendantsOfType(['import_statement', 'export_statement'])
    .flatMap((node) => (node === null ? [] : readImport(node, source)))
  const calls = root
    .descendantsOfType(['call_expression', 'new_expression'])
    .flatMap((node) => (node === null ? [] : readCall(node, source, variables)))
  return [...imports, ...calls]
}

function readVariables(root: Node): Map<string, Node> {
  const found = new Map<string, Node>()
  for (const node of root.descendantsOfType('variable_declarator')) {
    const name = node?.childForFieldName('name')
    const value = node?.childForFieldName('value')
    if (name?.type === 'identifier' && value) found.set(name.text, value)
  }
  return found
}

// Types are gone when the program runs.
function readImport(node: Node, { folder }: Source): SourceUse[] {
  const from = node.childForFieldName('source')
  if (from === null || /^(import|export)\s+type\b/.test(node.text)) return []
  const [name = ''] = findLiterals(from, new Map())
  if (!name.startsWith('.')) return []
  return [
    {
      line: lineOf(node),
      kind: 'loads',
      paths: pathsOf([`${folder}${name}`], ''),
      folders: [],
      isBesideFile: true,
    },
  ]
}

function readCall(node: Node, source: Source, variables: ReadonlyMap<string, Node>): SourceUse[] {
  const callee = node.childForFieldName('function') ?? node.childForFieldName('constructor')
  const args = node.childForFieldName('arguments')
  const name = callee?.childForFieldName('property')?.text ?? callee?.text ?? ''
  if (args === null || !(LOADS.test(name) || STARTS.test(name))) return []
  const literals = findLiterals(args, variables)
  const { folder } = source
  const use = { line: lineOf(node), paths: pathsOf(literals, folder), folders: foldersOf(literals, folder) }
  const text = expandText(args, variables)
  if (STARTS.test(name)) {
    if (name !== 'fork' && isApart(node, args.firstNamedChild, source, variables)) return []
    return [{ ...use, kind: 'starts', isBesideFile: BESIDE.test(text) }]
  }
  const isRelative = /^(import|require)$/.test(name) && literals[0]?.startsWith('.') === true
  return [{ ...use, kind: 'loads', isBesideFile: isRelative || BESIDE.test(text) }]
}

function lineOf(node: Node): number {
  return node.startPosition.row + 1
}
