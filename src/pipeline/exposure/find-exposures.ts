import type { EvaluationConfig } from '../../config/campaign-config.ts'
import { findEvaluatorFiles } from '../../guard/evaluator/evaluator-files.ts'
import { findUses } from './find-uses.ts'
import type { SourceUse } from './source-uses.ts'

/** A place where the evaluator lets candidate code come too near. */
export interface Exposure {
  readonly file: string
  readonly line: number
  readonly kind: 'loads' | 'starts' | 'root-copy'
  /** The file or folder that candidates may change. */
  readonly target: string
}

/** The files of a repository, and which of them candidates may change. */
export interface ExposedRepository {
  readonly files: readonly string[]
  read(path: string): Promise<string>
  isEditable(path: string): boolean
}

const SCRIPT_ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.tsx', '.jsx']
const SCRIPT_ENTRIES = ['', ...SCRIPT_ENDINGS, ...SCRIPT_ENDINGS.map((ending) => `/index${ending}`)]
const PYTHON_ENTRIES = ['', '.py', '/__init__.py', '/__main__.py']
// What a compiler or an archiver is given is not started.
const PROGRAM = /\.([cm]?[jt]sx?|py|sh|bash|rb|php|pl|lua)$|(^|\/)[^./]+$/
const MAX_FILES = 500

/**
 * Reads the programs behind the measuring commands, and what they load themselves. Gates are not read: tests load the code
 * that they test, and print no metrics.
 */
export async function findExposures(
  evaluation: EvaluationConfig,
  repository: ExposedRepository,
): Promise<Exposure[]> {
  const { quick, heldOut } = evaluation
  const known = createKnown(repository)
  const files = repository.files.map((path) => ({ path, blob: path }))
  const commands = [evaluation, quick, heldOut].flatMap((each) => each?.command ?? [])
  const found = await Promise.all(
    commands.map(async (command) => {
      // One command alone, so that we know from which folder its files run.
      const alone = { ...evaluation, command, files: [], gates: [], quick: undefined, heldOut: undefined }
      const isTrusted = command.includes('LORELEY_TRUSTED') && !command.includes('PYTHONPATH')
      return await readAll(await findEvaluatorFiles(alone, files, repository.read), {
        known,
        repository,
        isTrusted,
      })
    }),
  )
  const unique = new Map(found.flat().map((each) => [JSON.stringify(each), each]))
  return [...unique.values()]
}

interface Reading {
  readonly repository: ExposedRepository
  readonly known: ReturnType<typeof createKnown>
  readonly isTrusted: boolean
}

async function readAll(
  first: readonly string[],
  { repository, known, isTrusted }: Reading,
): Promise<Exposure[]> {
  const found: Exposure[] = []
  const seen = new Set(first)
  for (const file of seen) {
    if (seen.size > MAX_FILES || repository.isEditable(file)) continue
    for (const use of await findUses(file, await repository.read(file))) {
      const target = known.findEditable(file, use)
      if (target !== undefined) found.push({ file, line: use.line, kind: kindOf(use, isTrusted), target })
      if (use.kind === 'loads') for (const next of known.findFiles(file, use)) seen.add(next)
    }
  }
  return found
}

// What a program in the trusted checkout finds beside itself is the root's.
function kindOf(use: SourceUse, isTrusted: boolean): Exposure['kind'] {
  return isTrusted && use.isBesideFile ? 'root-copy' : use.kind
}

function createKnown({ files, isEditable }: ExposedRepository) {
  const paths = new Set(files)
  const editableFolders = new Set<string>()
  for (const path of files.filter(isEditable))
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      editableFolders.add(path.slice(0, end))
  const findFiles = (from: string, use: SourceUse): string[] => {
    const entries = from.endsWith('.py') ? PYTHON_ENTRIES : SCRIPT_ENTRIES
    // TypeScript imports `./a.js` and means `./a.ts`.
    const named = use.paths.flatMap((path) => [
      ...entries.map((entry) => path + entry),
      path.replace(/js$/, 'ts'),
    ])
    return named.filter((path) => paths.has(path))
  }
  return {
    findFiles,
    findEditable: (from: string, use: SourceUse): string | undefined => {
      const named = findFiles(from, use).filter((path) => isEditable(path) && PROGRAM.test(path))
      return named[0] ?? use.folders.find((path) => editableFolders.has(path))
    },
  }
}
