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

const LOADS_FILES = /^(run_path|exec|eval|compile|spec_from_file_location|SourceFileLoader)$/
const LOADS_MODULES = /^(import_module|run_module|__import__)$/
const STARTS =
  /^(run|Popen|call|check_call|check_output|getoutput|getstatusoutput|system|popen|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?|create_subprocess_(exec|shell))$/

/** Imports, `importlib`, `runpy`, code that is evaluated, and child processes. */
export function readPython(source: Source): SourceUse[] {
  const { root } = source
  const variables = readVariables(root)
  const imports = root
    .descendantsOfType(['import_statement', 'import_from_statement'])
    .flatMap((node) => (node === null ? [] : readImport(node, source)))
  const calls = root
    .descendantsOfType('call')
    .flatMap((node) => (node === null ? [] : readCall(node, source, variables)))
  return [...imports, ...calls]
}

function readVariables(root: Node): Map<string, Node> {
  const found = new Map<string, Node>()
  for (const node of root.descendantsOfType('assignment')) {
    const name = node?.childForFieldName('left')
    const value = node?.childForFieldName('right')
    if (name?.type === 'identifier' && value) found.set(name.text, value)
  }
  return found
}

// A script finds modules beside itself, unless it changes `sys.path`.
function readImport(node: Node, { text, folder }: Source): SourceUse[] {
  const from = node.childForFieldName('module_name')
  const names = node.childrenForFieldName('name').flatMap((each) => {
    const name = each?.type === 'aliased_import' ? each.childForFieldName('name') : each
    return name === null || name === undefined ? [] : [name.text]
  })
  const base = from?.text ?? ''
  const modules = from === null ? names : [base, ...names.map((name) => join(base, name))]
  const paths = modules.flatMap((module) => modulePaths(module, folder))
  return [{ line: lineOf(node), kind: 'loads', paths, folders: [], isBesideFile: !text.includes('sys.path') }]
}

function join(base: string, name: string): string {
  return base.endsWith('.') ? base + name : `${base}.${name}`
}

// Leading dots are folders upwards: one is the file's own. Packages run before the modules in them.
function modulePaths(module: string, folder: string): string[] {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0
  const steps = module.slice(dots).split('.')
  const paths = steps.map((_, index) => steps.slice(0, index + 1).join('/'))
  if (dots > 0)
    return pathsOf(
      paths.map((path) => `${folder}${'../'.repeat(dots - 1)}${path}`),
      '',
    )
  return [
    ...pathsOf(paths, folder),
    ...pathsOf(
      paths.map((path) => `src/${path}`),
      '',
    ),
  ]
}

function readCall(node: Node, source: Source, variables: ReadonlyMap<string, Node>): SourceUse[] {
  const callee = node.childForFieldName('function')
  const args = node.childForFieldName('arguments')
  const name = callee?.childForFieldName('attribute')?.text ?? callee?.text ?? ''
  if (args === null) return []
  const literals = findLiterals(args, variables)
  const isBesideFile = /\b__file__\b/.test(expandText(args, variables))
  const { folder } = source
  const use = {
    ...{ line: lineOf(node), isBesideFile },
    ...{ paths: pathsOf(literals, folder), folders: foldersOf(literals, folder) },
  }
  if (LOADS_FILES.test(name)) return [{ ...use, kind: 'loads' }]
  if (LOADS_MODULES.test(name)) {
    const paths = literals.flatMap((literal) => modulePaths(literal, folder))
    return [{ ...use, kind: 'loads', paths, isBesideFile: !source.text.includes('sys.path') }]
  }
  if (!STARTS.test(name) || isApart(node, args.firstNamedChild, source, variables)) return []
  const modules = literals.flatMap((literal, index) =>
    literals[index - 1] === '-m' ? literal : (/(?:^|\s)-m\s+([\w.]+)/.exec(literal)?.[1] ?? []),
  )
  const paths = [...use.paths, ...modules.flatMap((module) => modulePaths(module, ''))]
  return [{ ...use, kind: 'starts', paths }]
}

function lineOf(node: Node): number {
  return node.startPosition.row + 1
}
