import { foldName } from '../paths/path-names.ts'

/** How a language finds a file by a name that is not the whole path. */
interface Resolution {
  readonly language: string
  /** The names under which an evaluator's file is asked for; empty for files of other languages. */
  readonly asked: (folded: string) => readonly string[]
  /** The names that a file answers to. */
  readonly answers: (folded: string) => readonly string[]
  readonly why: string
}

const NODE_ENDS = /\.([cm]?[jt]sx?|json|node|wasm)$/
const PYTHON_ENDS = /(\.pyc?|(\.[\w-]+)?\.(so|pyd))$/
const HEADER_ENDS = /\.(h|hh|hpp|hxx|h\+\+|inc|inl|ipp|tpp|def)$/

/**
 * One row for each language whose lookups try several files for one name. A new file that answers to a name of the evaluator may be
 * taken in its place. Each row has examples in test/guard/hooks/shadow-names.test.ts.
 */
export const RESOLUTIONS: readonly Resolution[] = [
  {
    language: 'Node',
    // `./cases` is the file of that name, then cases.js, .json, .node, then the folder's package.json or index.js. Bundlers and
    // TypeScript try more endings, in orders of their own.
    asked: (path) => (NODE_ENDS.test(path) ? nodeNames(path) : []),
    answers: (path) => (/\/package\.json$/.test(path) ? [parentOf(path)] : [path, ...nodeNames(path)]),
    why: 'node prefers the file `cases` over `cases.js`, and `cases.js` over `cases/index.js`',
  },
  {
    language: 'Python',
    // The package first, then native modules, then the source. Without __init__.py a folder comes last. The code of all
    // packages above runs first.
    asked: (path) => (PYTHON_ENDS.test(path) ? stepsOf(pythonModule(path)) : []),
    answers: (path) => (PYTHON_ENDS.test(path) ? [pythonModule(path)] : []),
    why: 'python prefers `bench/__init__.py` and `bench.so` over `bench.py`, and `bench.py` over a folder without __init__.py',
  },
  {
    language: 'C and C++',
    // Include paths are searched in the order of the options, which only the compiler knows: the last part of a name decides.
    asked: (path) => (HEADER_ENDS.test(path) ? [nameOf(path)] : []),
    answers: (path) => (HEADER_ENDS.test(path) ? [nameOf(path)] : []),
    why: 'with -Isrc -Ibench, `#include "cases.h"` reads src/cases.h before bench/cases.h',
  },
]

/** Detects new files that a language would take in place of one of the evaluator's. */
export function createShadowTest(
  evaluatorPaths: readonly string[],
): (folded: string) => Resolution | undefined {
  const folded = evaluatorPaths.map(foldName)
  const rows = RESOLUTIONS.map((row) => ({ row, asked: new Set(folded.flatMap(row.asked)) }))
  return (path) => rows.find(({ row, asked }) => row.answers(path).some((name) => asked.has(name)))?.row
}

function nodeNames(path: string): string[] {
  const stem = path.replace(NODE_ENDS, '')
  return nameOf(stem) === 'index' && stem !== 'index' ? [stem, parentOf(stem)] : [stem]
}

function pythonModule(path: string): string {
  const stem = path.replace(PYTHON_ENDS, '')
  return nameOf(stem) === '__init__' ? parentOf(stem) : stem
}

function stepsOf(path: string): string[] {
  const names = path.split('/')
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
