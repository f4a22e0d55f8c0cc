import { posix } from 'node:path'

/** Source texts by path below `src/`. */
export type Sources = ReadonlyMap<string, string>

const ALL = 'all'

/** Who may import whom, besides itself and errors.ts: the table of the design, folder by folder. */
const MAY_IMPORT: Readonly<Record<string, readonly string[] | typeof ALL>> = {
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
  dashboard: ['core', 'store', 'reports'],
  github: ['core', 'config', 'protocol', 'guard', 'store'],
  app: ['core', 'config', 'protocol', 'guard', 'store', 'github', 'reports', 'dashboard'],
  local: [
    ...['core', 'config', 'protocol', 'guard', 'store', 'git', 'embedding', 'pipeline', 'agents'],
    ...['process', 'reports'],
  ],
  sandbox: ['git', 'process'],
  entrypoints: ALL,
  'errors.ts': [],
}

const PURE_PACKAGES = /^(ml-[a-z-]+|pure-rand|simple-statistics)(\/|$)/

const LINE_CEILING = 250
// Schemas and catalogues are lists: they read well at any length.
const LIST_CEILING = 400
const LISTS = /^config\/schema/
// Actions that the sandbox brings along are programs of their own: their first file is their entrypoint.
const STAND_IN_PROGRAM = /^sandbox\/runner\/stand-ins\/.*\/(main|post)\.ts$/

/** What a module imports, by statement, re-export or call. */
export function findImports(text: string): string[] {
  const code = withoutComments(text)
  const patterns = [
    /\b(?:import|export)\b[\w\s{},*$]*?\bfrom\s*['"]([^'"]+)['"]/g,
    /\bimport\s*['"]([^'"]+)['"]/g,
    /\b(?:import|require)\s*\(\s*['"`]([^'"`]+)['"`]/g,
  ]
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map(([, target = '']) => target))
}

/** Every rule that a source tree breaks, as one line each. */
export function findBreaches(sources: Sources): string[] {
  const perFile = [...sources].flatMap(([path, text]) => [
    ...findForbiddenImports(path, text),
    ...findForbiddenCode(path, text),
    ...findOverlong(path, text),
  ])
  return [...perFile, ...findCycles(sources)]
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
  const ceiling = LISTS.test(path) ? LIST_CEILING : LINE_CEILING
  const lines = text.split('\n').length - 1
  return lines > ceiling ? [`${path}: ${lines} lines, more than ${ceiling}`] : []
}

/** Folders that import each other, directly or around corners. */
function findCycles(sources: Sources): string[] {
  const edges = new Map<string, Set<string>>()
  for (const [path, text] of sources) {
    const targets = edges.get(folderOf(path)) ?? new Set<string>()
    edges.set(folderOf(path), targets)
    for (const target of findImports(text).filter((each) => each.startsWith('.'))) {
      targets.add(folderOf(resolveImport(path, target)))
    }
    targets.delete(folderOf(path))
  }
  const reachable = (from: string, seen = new Set<string>()): Set<string> => {
    for (const to of edges.get(from) ?? []) if (!seen.has(to)) reachable(to, seen.add(to))
    return seen
  }
  return [...edges.keys()].flatMap((folder) =>
    reachable(folder).has(folder) ? [`${folder}: is part of an import cycle between folders`] : [],
  )
}

function resolveImport(path: string, target: string): string {
  return posix.normalize(posix.join(posix.dirname(path), target))
}

function folderOf(path: string): string {
  return path.split('/')[0] ?? path
}

// Text in quotes may look like a comment ("https://…"), so that quotes are kept whole.
function withoutComments(text: string): string {
  return text.replaceAll(
    /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (_match, quoted: string | undefined) => quoted ?? ' ',
  )
}
