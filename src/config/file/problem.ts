import { escapeHidden } from '../../core/hidden-characters.ts'
import { LoreleyError } from '../../errors.ts'

/** A problem in a config file: where it is and how to fix it. */
export interface ConfigProblem {
  /** The key, such as `scope.editable[0]`; empty if the problem concerns the whole file. */
  readonly path: string
  /** Counted from 1. */
  readonly line: number
  /** Counted from 1. */
  readonly column: number
  readonly message: string
  readonly hint: string
}

/** A problem whose hint is not worked out yet. */
export interface FoundProblem extends Omit<ConfigProblem, 'hint'> {
  explain(): string
}

/** With the line for the others, as many as GitHub takes as annotations in one request. */
export const MAX_PROBLEMS = 49

/**
 * The first problems in text order, and how many more there are. A problem that several campaigns inherit is listed
 * once. Only listed problems get a hint.
 */
export function listProblems(found: readonly FoundProblem[]): readonly ConfigProblem[] {
  const distinct = new Map<string, FoundProblem>()
  for (const problem of found) {
    const key = `${problem.line}:${problem.column} ${problem.path} ${problem.message}`
    if (!distinct.has(key)) distinct.set(key, problem)
  }
  const sorted = [...distinct.values()].sort((a, b) => a.line - b.line || a.column - b.column)
  const listed = sorted
    .slice(0, MAX_PROBLEMS)
    .map(({ explain, ...problem }) => showHidden({ ...problem, hint: explain() }))
  const next = sorted[MAX_PROBLEMS]
  if (next === undefined) return listed
  const count = sorted.length - MAX_PROBLEMS
  const message = count === 1 ? '1 more problem is not listed' : `${count} more problems are not listed`
  const { line, column } = next
  return [...listed, { path: '', line, column, message, hint: 'Fix the problems above first.' }]
}

// They quote the file, which anybody may have written, on terminals and pages.
function showHidden({ path, message, hint, ...position }: ConfigProblem): ConfigProblem {
  return {
    path: escapeHidden(path),
    ...position,
    message: escapeHidden(message),
    hint: escapeHidden(hint),
  }
}

/** Thrown for an invalid config file, with its problems. */
export class ConfigInvalidError extends LoreleyError {
  readonly problems: readonly ConfigProblem[]

  constructor(file: string, problems: readonly ConfigProblem[]) {
    super(
      'config-invalid',
      problems.map((problem) => renderProblem(problem, file)).join('\n'),
      hintOf(problems),
    )
    this.problems = problems
  }
}

/** One line: `file:line:column path - message`. */
export function renderProblem(problem: ConfigProblem, file: string): string {
  const position = `${file}:${problem.line}:${problem.column}`
  return problem.path === ''
    ? `${position} - ${problem.message}`
    : `${position} ${problem.path} - ${problem.message}`
}

function hintOf(problems: readonly ConfigProblem[]): string {
  const first = problems[0]?.hint ?? ''
  return problems.length > 1 ? `${first} (loreley validate explains the others.)` : first
}
