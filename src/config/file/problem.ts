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

/** Thrown for an invalid config file, with all its problems. */
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
  return problems.length > 1 ? `${first} (loreley validate explains all ${problems.length} problems.)` : first
}
