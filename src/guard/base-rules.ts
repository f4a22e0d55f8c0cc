import ignore, { type Ignore } from 'ignore'
import { createPathMatcher } from './paths/path-patterns.ts'

/** The base's own `.gitignore` and `.gitattributes` files, by path. */
export interface BaseRuleFile {
  readonly path: string
  readonly text: string
}

/** Whether git would ignore a new file at this path. Deeper files override. */
export function createIgnoredTest(files: readonly BaseRuleFile[]): (path: string) => boolean {
  const levels = byDepth(files, '.gitignore').map(({ folder, text }) => ({
    folder,
    rules: ignore({ ignorecase: false }).add(text),
  }))
  return (path) => {
    let ignored = false
    for (const { folder, rules } of levels) {
      const verdict = askBelow(path, folder, rules)
      if (verdict !== undefined) ignored = verdict
    }
    return ignored
  }
}

function askBelow(path: string, folder: string, rules: Ignore): boolean | undefined {
  const below = belowFolder(path, folder)
  if (below === undefined || !ignore.isPathValid(below)) return undefined
  const { ignored, unignored } = rules.test(below)
  return ignored ? true : unignored ? false : undefined
}

// With these attributes the workspace differs from the commit, and a filter command (Git LFS) could even run. We must
// publish exactly the bytes that were measured.
const REWRITING = ['filter', 'working-tree-encoding', 'ident']

/** Whether git would rewrite a file's bytes between commit and workspace. */
export function createFilteredTest(files: readonly BaseRuleFile[]): (path: string) => boolean {
  const levels = byDepth(files, '.gitattributes')
  const macros = new Map<string, readonly string[]>()
  const lines = levels.flatMap(({ folder, text }) =>
    text.split(/\r?\n/).flatMap((line) => readLine(line, folder, macros)),
  )
  return (path) => {
    const set = new Map<string, boolean>()
    for (const { matches, attributes } of lines) {
      if (matches(path)) for (const [name, on] of attributes) set.set(name, on)
    }
    return REWRITING.some((name) => set.get(name) === true)
  }
}

interface AttributeLine {
  readonly matches: (path: string) => boolean
  readonly attributes: readonly (readonly [name: string, on: boolean])[]
}

function readLine(line: string, folder: string, macros: Map<string, readonly string[]>): AttributeLine[] {
  const [, quoted, bare, rest = ''] = /^\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))\s*(.*)$/.exec(line) ?? []
  const pattern = quoted?.replaceAll(/\\(.)/g, '$1') ?? bare
  if (pattern === undefined || pattern.startsWith('#')) return []
  const words = rest.split(/\s+/).filter(Boolean)
  if (pattern.startsWith('[attr]')) {
    macros.set(pattern.slice('[attr]'.length), words)
    return []
  }
  const isMeant = createPathMatcher([pattern], { ignoreCase: false })
  const attributes = words.flatMap((word) => [word, ...(macros.get(word) ?? [])]).map(readAttribute)
  return [
    {
      matches: (path) => {
        const below = belowFolder(path, folder)
        return below !== undefined && isMeant(below)
      },
      attributes,
    },
  ]
}

function readAttribute(word: string): readonly [name: string, on: boolean] {
  const [name = '', value] = word.replace(/^[-!]/, '').split('=', 2)
  return [name, !/^[-!]/.test(word) && value !== 'false']
}

function byDepth(
  files: readonly BaseRuleFile[],
  name: string,
): readonly { readonly folder: string; readonly text: string }[] {
  const named = files.filter(({ path }) => path === name || path.endsWith(`/${name}`))
  return named
    .map(({ path, text }) => ({ folder: path.slice(0, -name.length), text }))
    .sort((a, b) => a.folder.length - b.folder.length)
}

function belowFolder(path: string, folder: string): string | undefined {
  return path.startsWith(folder) ? path.slice(folder.length) : undefined
}
