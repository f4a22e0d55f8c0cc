import { findBenchmarkFile } from './benchmark.ts'
import { ECOSYSTEMS, type Ecosystem } from './ecosystems.ts'
import { createProject, type Detected, type Project } from './project.ts'

export type { Detected } from './project.ts'

/** Guesses a first config from tracked paths and manifests. A person checks the guesses. */
export async function detectProject(
  files: readonly string[],
  readText: (path: string) => Promise<string | undefined>,
): Promise<Detected> {
  const project = createProject(files, readText)
  const ecosystem = findEcosystem(project)
  if (ecosystem === undefined) return { language: 'unknown', editable: ['src/**'], protected: [] }
  const commands = await ecosystem.detect(project)
  return {
    language: ecosystem.language,
    ...commands,
    benchmark: commands.benchmark ?? findBenchmarkFile(project),
    editable: editableGlobs(project, ecosystem),
    protected: [...ecosystem.tests, ...benchmarkGlobs(project)],
  }
}

// Files that may measure. A candidate that edits them would measure itself.
function benchmarkGlobs({ files }: Project): string[] {
  const named = files.flatMap((path) => /^bench(?:es|marks?)?(?:\/|\.[a-z]+$)/.exec(path)?.[0] ?? [])
  return [...new Set(named)].map((name) => (name.endsWith('/') ? `${name}**` : name))
}

function findEcosystem(project: Project): Ecosystem | undefined {
  let best: { ecosystem: Ecosystem; count: number } | undefined
  for (const ecosystem of ECOSYSTEMS) {
    const count = project.files.filter((path) => isSource(path, ecosystem)).length
    if (count > (best?.count ?? 0)) best = { ecosystem, count }
  }
  return best?.ecosystem
}

// Vendored code says nothing about this repository's language.
const FOREIGN = /(^|\/)(node_modules|vendor|third_party|dist|build)\//

function isSource(path: string, { extensions }: Ecosystem): boolean {
  return !FOREIGN.test(path) && extensions.includes(path.slice(path.lastIndexOf('.') + 1))
}

function editableGlobs(project: Project, ecosystem: Ecosystem): readonly string[] {
  const sources = project.files.filter((path) => isSource(path, ecosystem))
  const packages = sources.flatMap((path) => /^([^/]+)\/__init__\.py$/.exec(path)?.[1] ?? [])
  const folders = new Set([...ecosystem.folders, ...packages.filter((folder) => !/^tests?$/.test(folder))])
  const present = [...folders].filter((folder) => sources.some((path) => path.startsWith(`${folder}/`)))
  if (present.length > 0) return present.map((folder) => `${folder}/**`)
  return ecosystem.extensions
    .filter((extension) => sources.some((path) => path.endsWith(`.${extension}`)))
    .map((extension) => `**/*.${extension}`)
}
