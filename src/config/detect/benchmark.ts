import type { Project } from './project.ts'

const RUNNERS: Readonly<Record<string, string>> = {
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  py: 'python3',
  rb: 'ruby',
  php: 'php',
  sh: 'sh',
}

const PLACES = [/^bench(mark)?\.[a-z]+$/, /^bench(marks?)?\/(bench|benchmark|run|main)\.[a-z]+$/]

/** The command for a file such as bench.mjs or benchmarks/run.py; undefined if there is none. */
export function findBenchmarkFile(project: Project, runners = RUNNERS): string | undefined {
  for (const path of project.files) {
    const runner = runners[path.slice(path.lastIndexOf('.') + 1)]
    if (runner !== undefined && PLACES.some((place) => place.test(path))) return `${runner} ${path}`
  }
  return undefined
}
