import { isMeasuringPath } from './measuring-names.ts'

/** The files that may be imported. */
interface Sources {
  readonly files: ReadonlySet<string>
  read(path: string): Promise<string>
}

/**
 * Python scripts and the modules that they import from their own folder, recursively. Only in folders whose name suggests
 * measuring: elsewhere, files beside a script are for candidates to change.
 */
export async function findImported(scripts: readonly string[], sources: Sources): Promise<string[]> {
  const seen = new Set(scripts.filter((path) => path.endsWith('.py') && sources.files.has(path)))
  for (const path of seen) {
    const folder = path.replace(/[^/]*$/, '')
    if (!isMeasuringPath(folder)) continue
    const names = readImports(await sources.read(path))
    // Also by the path from the root: `from bench.timing import clock`.
    const files = names.flatMap((name) => [...filesOf(folder, name), ...filesOf('', name)])
    for (const file of files) if (file.startsWith(folder) && sources.files.has(file)) seen.add(file)
  }
  return [...seen]
}

const IMPORT =
  /^[ \t]*(?:from[ \t]+\.*(?<from>[\w.]*)[ \t]*import[ \t]*(?:\((?<many>[^)]{0,5000})|(?<some>[^\n]{0,1000}))|import[ \t]+(?<whole>[^\n]{1,1000}))/gm

/** Dotted names. A name imported from a package may be a module of it. */
function readImports(text: string): string[] {
  return [...text.matchAll(IMPORT)].flatMap(({ groups = {} }) => {
    const { from, many, some = '', whole } = groups
    if (whole !== undefined) return readNames(whole)
    const names = readNames(many ?? some)
    return from === undefined || from === '' ? names : [from, ...names.map((name) => `${from}.${name}`)]
  })
}

function readNames(list: string): string[] {
  return list
    .replaceAll(/#.*/g, '')
    .split(',')
    .flatMap((item) => /^[\w.]+/.exec(item.trim())?.[0] ?? [])
}

// Includes the parent packages, whose code runs first.
function filesOf(folder: string, name: string): string[] {
  const steps = name.split('.')
  return steps.flatMap((_, index) => {
    const module = folder + steps.slice(0, index + 1).join('/')
    return [`${module}.py`, `${module}/__init__.py`]
  })
}
