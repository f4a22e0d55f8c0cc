import {
  findCycles,
  findEdges,
  findImports,
  resolveImport,
  type Sources,
  withoutComments,
} from '../../scripts/house/source-tree.ts'

const ALL = 'all'

/** Who may import whom, besides itself and errors.ts. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[] | typeof ALL>> = {
  core: [],
  config: ['core'],
  reports: ['core'],
  protocol: ['core', 'config'],
  guard: ['core', 'config'],
  process: [],
  git: ['process'],
  embedding: ['core', 'config', 'git'],
  store: ['core', 'protocol', 'git'],
  agents: ['core', 'config', 'git', 'process'],
  pipeline: ['core', 'config', 'protocol', 'guard', 'embedding', 'git', 'agents', 'process'],
  github: ['core', 'config', 'protocol', 'guard', 'store'],
  app: ['core', 'config', 'protocol', 'guard', 'store', 'github', 'reports'],
  local: [
    ...['core', 'config', 'protocol', 'guard', 'store', 'git', 'embedding', 'pipeline', 'agents'],
    ...['process', 'reports'],
  ],
  sandbox: ['git', 'process'],
  entrypoints: ALL,
  'errors.ts': [],
}

const PURE_PACKAGES = /^(ml-[a-z-]+|pure-rand|simple-statistics)(\/|$)/

// A file is split where an idea ends. Beyond this length it holds more than one.
const LINE_CEILING = 400
// Actions that the sandbox brings along are programs of their own: their first file is their entrypoint.
const STAND_IN_PROGRAM = /^sandbox\/runner\/stand-ins\/.*\/(main|post)\.ts$/

/** Every rule that a source tree breaks, as one line each. */
export function findBreaches(sources: Sources): string[] {
  const perFile = [...sources].flatMap(([path, text]) => [
    ...findForbiddenImports(path, text),
    ...findForbiddenCode(path, text),
    ...findOverlong(path, text),
  ])
  return [...perFile, ...findImportCycles(sources)]
}

function findForbiddenImports(path: string, text: string): string[] {
  const from = folderOf(path)
  const allowed = MAY_IMPORT[from]
  if (allowed === undefined) return [`${path}: the folder ${from} is not in the table`]
  return findImports(text).flatMap((target) => {
    if (!target.startsWith('.')) {
      const impure = from === 'core' && !PURE_PACKAGES.test(target)
      return impure ? [`${path}: core may not import ${target}`] : []
    }
    const to = folderOf(resolveImport(path, target))
    if (to === from || to === 'errors.ts') return []
    if (path.startsWith('entrypoints/action/') && to === 'local')
      return [`${path}: the action may not import the local host`]
    if (to === 'entrypoints') return [`${path}: nobody may import entrypoints`]
    return allowed === ALL || allowed.includes(to) ? [] : [`${path}: ${from} may not import ${to}`]
  })
}

function findForbiddenCode(path: string, text: string): string[] {
  const code = withoutComments(text)
  const folder = folderOf(path)
  const rules: [broken: boolean, what: string][] = [
    [folder === 'core' && /\bMath\.random\b/.test(code), 'core may not use Math.random'],
    [folder === 'core' && /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\b/.test(code), 'core has no clock'],
    [folder === 'core' && /\bprocess\b\.|\bglobalThis\b|\bcrypto\./.test(code), 'core has no machine'],
    [
      !['config', 'entrypoints'].includes(folder) &&
        !STAND_IN_PROGRAM.test(path) &&
        /\bprocess\s*\.\s*env\b|\benv\b[^;\n]*from 'node:process'/.test(code),
      'only config and entrypoints may read process.env',
    ],
    [
      folder !== 'git' && /\b(?:spawn|exec|execFile|runGroup)(?:Sync)?\(\s*\[?\s*['"`]git\b/.test(code),
      'only git may start git',
    ],
  ]
  return rules.flatMap(([broken, what]) => (broken ? [`${path}: ${what}`] : []))
}

function findOverlong(path: string, text: string): string[] {
  const lines = text.split('\n').length - 1
  return lines > LINE_CEILING ? [`${path}: ${lines} lines, more than ${LINE_CEILING}`] : []
}

/** Files, and folders, that import each other, directly or around corners. Type imports count. */
function findImportCycles(sources: Sources): string[] {
  const files = findCycles(findEdges(sources)).map((group) => `${group.join(', ')}: import each other`)
  const folders = findCycles(findFolderEdges(sources)).map(
    (group) => `${group.join(', ')}: import each other`,
  )
  return [...files, ...folders]
}

function findFolderEdges(sources: Sources): Map<string, string[]> {
  const edges = new Map<string, string[]>()
  for (const [path, text] of sources) {
    const targets = findImports(text)
      .filter((target) => target.startsWith('.'))
      .map((target) => folderOf(resolveImport(path, target)))
      .filter((folder) => folder !== folderOf(path))
    edges.set(folderOf(path), [...(edges.get(folderOf(path)) ?? []), ...targets])
  }
  return edges
}

function folderOf(path: string): string {
  return path.split('/')[0] ?? path
}
