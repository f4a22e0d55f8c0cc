import type { EvaluationConfig } from '../../config/campaign-config.ts'
import { createPathMatcher, type PathMatcher } from '../paths/path-patterns.ts'
import { type CommandWord, normalizePath, readCommandWords } from './command-words.ts'
import { isMeasuringPath } from './measuring-names.ts'
import { findImported } from './python-imports.ts'
import { findMakeRecipes, findPackageScripts } from './script-lines.ts'

// Commands that run what a manifest defines: editing the manifest would edit the evaluator.
const SCRIPT_RUNNERS: readonly (readonly [pattern: RegExp, manifests: readonly string[]])[] = [
  [/^(npm|npx|pnpm|yarn|bun|run-[sp]|npm-run-all|concurrently)$/, ['package.json']],
  [/^(make|gmake)$/, ['Makefile', 'makefile', 'GNUmakefile']],
  [
    /^(pytest|tox|nox|hatch|poetry|uv|pdm)$/,
    ['pyproject.toml', 'setup.cfg', 'tox.ini', 'pytest.ini', 'noxfile.py', 'conftest.py'],
  ],
  [/^cargo$/, ['Cargo.toml']],
  [/^go$/, ['go.mod']],
  [/^(mvn|mvnw)$/, ['pom.xml']],
  [/^(gradle|gradlew)$/, ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts']],
  [/^(rake|bundle)$/, ['Rakefile', 'Gemfile']],
  [/^composer$/, ['composer.json']],
  [/^just$/, ['justfile', 'Justfile', '.justfile']],
  [/^(task|go-task)$/, ['Taskfile.yml', 'Taskfile.yaml', 'Taskfile.dist.yml', 'Taskfile.dist.yaml']],
  [/^deno$/, ['deno.json', 'deno.jsonc']],
  [/^(cmake|ctest)$/, ['CMakeLists.txt', 'CMakePresets.json', 'CMakeUserPresets.json', 'CTestConfig.cmake']],
  [
    /^(bazel|bazelisk)$/,
    ['WORKSPACE', 'WORKSPACE.bazel', 'MODULE.bazel', 'BUILD', 'BUILD.bazel', '.bazelrc'],
  ],
  [/^(inv|invoke)$/, ['tasks.py', 'invoke.yaml', 'invoke.json', 'invoke.py']],
  [/^(meson|ninja)$/, ['meson.build', 'meson_options.txt', 'build.ninja']],
  [/^(scons|ant|zig|mix|sbt)$/, ['SConstruct', 'build.xml', 'build.zig', 'mix.exs', 'build.sbt']],
]

// The next word is a folder in which names are resolved: `make -C bench`, `cd bench && node run.mjs`.
const FOLDER_OPTION =
  /^(cd|pushd|-C|--directory|--prefix|--cwd|--dir|--chdir|-w|--workspace|PYTHONPATH|NODE_PATH|WORKDIR)$/

// Programs that run their file argument. Others (compilers, linters) take files that candidates may change.
const INTERPRETER =
  /(^|\/)(node|deno|bun|tsx|ts-node|python[\d.]*|pypy[\d.]*|sh|bash|zsh|dash|ruby|php|perl|julia|lua|Rscript|hyperfine|time|env)$/

// Extensions that interpreters try, and entry files of folders.
const ENTRIES = ['', '/index']
  .flatMap((name) => ['js', 'cjs', 'mjs', 'jsx', 'ts', 'cts', 'mts', 'tsx'].map((end) => `${name}.${end}`))
  .concat('/__main__.py')

/** A file of the root. */
interface RootFile {
  readonly path: string
  readonly blob: string
}

/** The root's files, folders and their content. */
interface Root {
  readonly files: ReadonlySet<string>
  readonly folders: ReadonlySet<string>
  read(path: string): Promise<string>
}

/**
 * The paths that make up the evaluation: those listed in the config, those named by the measuring commands and by the
 * package.json scripts and makefile targets behind them, the manifests of script runners such as `npm run`, modules that
 * their Python scripts import from measuring folders, and the held-out paths. Gates often run what candidates may change,
 * so files that only a gate names are not guessed if the config lists files.
 */
export async function findEvaluatorFiles(
  evaluation: EvaluationConfig,
  rootFiles: readonly RootFile[],
  readText: (blob: string) => Promise<string>,
): Promise<string[]> {
  const { files = [], gates, quick, heldOut } = evaluation
  const stages = [evaluation, quick, heldOut, ...(evaluation.files === undefined ? gates : [])]
  const root = createRoot(rootFiles, readText)
  const found = new Set([...files, ...(heldOut?.paths ?? [])])
  const seen = new Set<string>()
  for (const stage of stages)
    if (stage !== undefined)
      for (const path of await findNamed({ root, seen, folder: '', line: stage.command })) found.add(path)
  for (const path of await findImported([...found], root)) found.add(path)
  return [...found].sort()
}

/** Matches the evaluator's files, folders and globs, each from the root. */
export function createEvaluatorTest(files: readonly string[]): PathMatcher {
  return createPathMatcher(files, { ignoreCase: true, anchored: true })
}

/** True for files that only tell a runner such as npm or make what to start. */
export function isRunnerFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return SCRIPT_RUNNERS.some(([, files]) => files.includes(name))
}

function createRoot(rootFiles: readonly RootFile[], readText: (blob: string) => Promise<string>): Root {
  const blobs = new Map(rootFiles.map(({ path, blob }) => [path, blob]))
  const folders = new Set<string>()
  for (const path of blobs.keys())
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  const read = async (path: string) => {
    const blob = blobs.get(path)
    return blob === undefined ? '' : await readText(blob)
  }
  return { files: new Set(blobs.keys()), folders, read }
}

interface Line {
  readonly root: Root
  /** The folder that it runs in. */
  readonly folder: string
  readonly line: string
  /** A script or a recipe, not the command of the config. */
  readonly isIndirect?: true
  /** What was read already: scripts may run each other in circles. */
  readonly seen: Set<string>
}

async function findNamed(at: Line): Promise<string[]> {
  const { root, folder, line, isIndirect, seen } = at
  const key = `${folder}\n${isIndirect === true}\n${line}`
  if (seen.has(key)) return []
  seen.add(key)
  const words = readCommandWords(line)
  const into = words.filter(({ before }) => FOLDER_OPTION.test(before.at(-1) ?? ''))
  const folders = ['', ...into.map(({ word }) => word)].flatMap(
    (below) => normalizePath(`${folder}/${below}`) ?? [],
  )
  const named: string[] = []
  for (const from of new Set(folders)) {
    named.push(...words.flatMap((word) => findWord(root, from, word, isIndirect === true)))
    named.push(...(await findBehindRunners({ ...at, folder: from }, words)))
  }
  return named
}

function findWord(root: Root, folder: string, word: CommandWord, isIndirect: boolean): string[] {
  const path = normalizePath(`${folder}/${word.word}`)
  if (path === undefined || path === '') return []
  const [last = ''] = word.before.slice(-1)
  if (last === '-m') return findPythonModule(root, folder, word.word)
  const isRun = word.before.length === 0 || word.before.some((each) => INTERPRETER.test(each))
  // A named folder counts as a whole only if its name suggests measuring: `pytest src` names what candidates may change.
  const isMeasuring = isMeasuringPath(path)
  if (root.files.has(path)) return !isIndirect || isRun || isMeasuring ? [path] : []
  if (/[*?[{]/.test(path)) return isMeasuring ? [path] : []
  if (root.folders.has(path) && isMeasuring) return [path]
  if (!isRun) return []
  return ENTRIES.map((end) => path + end).filter((entry) => root.files.has(entry))
}

// Includes its parent packages, whose code runs first.
function findPythonModule(root: Root, folder: string, name: string): string[] {
  const steps = name.split('.')
  const packages = steps.map((_, index) => `${steps.slice(0, index + 1).join('/')}/__init__.py`)
  const module = steps.join('/')
  return [`${module}.py`, `${module}/__main__.py`, ...packages]
    .flatMap((path) => normalizePath(`${folder}/${path}`) ?? [])
    .filter((path) => root.files.has(path))
}

async function findBehindRunners(at: Line, words: readonly CommandWord[]): Promise<string[]> {
  const { root, folder } = at
  const found: string[] = []
  const plain = words.map(({ word }) => word)
  for (const manifests of new Set(plain.flatMap(runnerFiles))) {
    const paths = manifests.flatMap((file) => normalizePath(`${folder}/${file}`) ?? [])
    const there = paths.filter((path) => root.files.has(path))
    if (there.length === 0) continue
    // If a runner has one of its files, another of its file names could replace it.
    found.push(...paths)
    for (const path of there)
      for (const line of findLines(path, await root.read(path), plain))
        found.push(...(await findNamed({ ...at, line, isIndirect: true })))
  }
  return found
}

function runnerFiles(word: string): (readonly string[])[] {
  const name = word.replace(/^.*\//, '')
  return SCRIPT_RUNNERS.flatMap(([pattern, files]) => (pattern.test(name) ? [files] : []))
}

function findLines(path: string, text: string, words: readonly string[]): string[] {
  if (/(^|\/)package\.json$/.test(path)) return findPackageScripts(text, words)
  return /makefile$/i.test(path) ? findMakeRecipes(text, words) : []
}
