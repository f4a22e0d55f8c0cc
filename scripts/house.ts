// Counts what docs/quality.md shows: `node --import tsx scripts/house.ts [--json] [--root FOLDER]`.
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findBrokenTestNames, findCoined, findLongParagraphs, type Slip } from './house/language.ts'
import { findCycles, findEdges, readSources, type Sources } from './house/source-tree.ts'
import { findFunctions, findTestNames } from './house/syntax.ts'

const MOST_LINES = 50
const FEW_LINES = 25
const MOST_WORDS = 100
const TESTS = /\.(?:test|parity)\.ts$/

/** The figures of a source tree. Lists are sorted, so that two runs can be compared. */
interface Figures {
  /** TypeScript files that lie directly in each folder. */
  readonly filesByFolder: Readonly<Record<string, number>>
  readonly largestFolder: { readonly path: string; readonly files: number }
  /** Groups of files in src that import each other, type imports included. */
  readonly cycles: readonly (readonly string[])[]
  readonly functions: number
  readonly longFunctions: readonly string[]
  /** Files of src under 25 lines that one other file imports. */
  readonly singleUseFiles: readonly string[]
  readonly retiredWords: Readonly<Record<string, number>>
  readonly testNames: number
  readonly brokenTestNames: readonly string[]
  readonly longParagraphs: readonly string[]
}

/** Counts everything below a repository's root. */
function countFigures(root: string): Figures {
  const read = (folder: string, wanted: RegExp): Map<string, string> =>
    new Map([...readSources(join(root, folder), wanted)].map(([path, text]) => [`${folder}/${path}`, text]))
  const src = read('src', /\.ts$/)
  // The language test has to name what it forbids; fixtures are other people's words.
  const tests = read('test', /^(?!fixtures\/|contract\/language\.test\.ts).*\.[mc]?[tj]s$/)
  const docs = new Map([...read('docs', /\.md$/), ...readSources(root, /^README\.md$/)])
  const filesByFolder = countByFolder([...src.keys(), ...tests.keys()].filter((path) => path.endsWith('.ts')))
  const [path = '', files = 0] = Object.entries(filesByFolder).sort(([, a], [, b]) => b - a)[0] ?? []
  const functions = flatMap(src, (name, text) =>
    findFunctions(name, text).map((each) => ({
      ...each,
      name: `${name}:${each.line} ${each.name}, ${each.lines}`,
    })),
  )
  const named = new Map([...tests].filter(([name]) => TESTS.test(name)))
  return {
    filesByFolder,
    largestFolder: { path, files },
    cycles: findCycles(findEdges(src)),
    functions: functions.length,
    longFunctions: functions.filter(({ lines }) => lines > MOST_LINES).map(({ name }) => name),
    singleUseFiles: findSingleUse(src),
    retiredWords: countRules(flatMap(new Map([...src, ...tests, ...docs]), findCoined)),
    testNames: flatMap(named, findTestNames).length,
    brokenTestNames: flatMap(named, findBrokenTestNames).map(renderSlip),
    longParagraphs: flatMap(docs, (name, text) => findLongParagraphs(name, text, MOST_WORDS)).map(renderSlip),
  }
}

function flatMap<T>(sources: Sources, find: (path: string, text: string) => readonly T[]): T[] {
  return [...sources].flatMap(([path, text]) => find(path, text))
}

function countByFolder(paths: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const folder of paths.map((path) => posix.dirname(path)))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function findSingleUse(src: Sources): string[] {
  const importers = new Map<string, number>()
  for (const target of [...findEdges(src).values()].flat())
    importers.set(target, (importers.get(target) ?? 0) + 1)
  const isSmall = (text: string): boolean => text.trimEnd().split('\n').length < FEW_LINES
  return [...src].flatMap(([path, text]) => (isSmall(text) && importers.get(path) === 1 ? [path] : []))
}

function countRules(slips: readonly Slip[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { rule } of slips) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function renderSlip({ path, line, text }: Slip): string {
  return `${path}:${line} ${text}`
}

function renderFigures(figures: Figures): string {
  const { cycles, largestFolder, retiredWords } = figures
  const rows: readonly (readonly [string, string | number])[] = [
    ['largest folder', `${largestFolder.path}, ${largestFolder.files} files`],
    ['folders with more than 15 files', Object.values(figures.filesByFolder).filter((n) => n > 15).length],
    ['groups of files that import each other', cycles.length],
    ['files in those groups', cycles.flat().length],
    ['functions in src', figures.functions],
    [`functions over ${MOST_LINES} lines`, figures.longFunctions.length],
    [`files under ${FEW_LINES} lines, imported once`, figures.singleUseFiles.length],
    ['retired words', Object.values(retiredWords).reduce((sum, n) => sum + n, 0)],
    ['test names', figures.testNames],
    ['test names that begin mid-sentence', figures.brokenTestNames.length],
    [`paragraphs over ${MOST_WORDS} words in docs`, figures.longParagraphs.length],
  ]
  return rows.map(([what, count]) => `${what.padEnd(42)} ${count}`).join('\n')
}

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, root: { type: 'string' } },
})
const figures = countFigures(values.root ?? fileURLToPath(new URL('..', import.meta.url)))
console.log(values.json ? JSON.stringify(figures, null, 2) : renderFigures(figures))
