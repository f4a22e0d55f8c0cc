import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'

/** Texts by path, with `/` on every system. */
export type Sources = ReadonlyMap<string, string>

/** Reads the files below a folder whose paths match; paths are relative to that folder. */
export function readSources(root: string, wanted: RegExp): Map<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => wanted.test(path))
    .sort()
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

/** Lists what a module imports: statements, re-exports, calls, and types. */
export function findImports(text: string): string[] {
  const code = withoutComments(text)
  const patterns = [
    /\b(?:import|export)\b[\w\s{},*$]*?\bfrom\s*['"]([^'"]+)['"]/g,
    /\bimport\s*['"]([^'"]+)['"]/g,
    /\b(?:import|require)\s*\(\s*['"`]([^'"`]+)['"`]/g,
  ]
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map(([, target = '']) => target))
}

/** The path that a relative import in this file names. */
export function resolveImport(path: string, target: string): string {
  return posix.normalize(posix.join(posix.dirname(path), target))
}

/** The files that each file imports, type imports included. */
export function findEdges(sources: Sources): Map<string, readonly string[]> {
  return new Map(
    [...sources].map(([path, text]) => {
      const relative = findImports(text).filter((target) => target.startsWith('.'))
      const targets = relative.map((target) => resolveImport(path, target))
      return [path, [...new Set(targets)].filter((target) => sources.has(target) && target !== path)]
    }),
  )
}

/**
 * Groups of nodes that all reach each other, largest first: the strongly connected components with more than one
 * member (Tarjan, 1972). O(nodes + edges).
 */
export function findCycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const indices = new Map<string, number>()
  const stack: string[] = []
  const open = new Set<string>()
  const found: string[][] = []

  const visit = (node: string): number => {
    const index = indices.size
    let low = index
    indices.set(node, index)
    stack.push(node)
    open.add(node)
    for (const next of edges.get(node) ?? []) {
      if (!indices.has(next)) low = Math.min(low, visit(next))
      else if (open.has(next)) low = Math.min(low, indices.get(next) ?? low)
    }
    if (low === index) {
      const group = stack.splice(stack.indexOf(node))
      for (const member of group) open.delete(member)
      if (group.length > 1) found.push(group.sort())
    }
    return low
  }

  for (const node of edges.keys()) if (!indices.has(node)) visit(node)
  return found.sort((a, b) => b.length - a.length)
}

/** The text without comments. Quoted text stays whole: "https://…" is no comment. */
export function withoutComments(text: string): string {
  return text.replaceAll(
    /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (_match, quoted: string | undefined) => quoted ?? ' ',
  )
}
