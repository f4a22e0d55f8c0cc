import { CONFIG_FILE, loadConfigText } from '../../../config/load.ts'
import { findConfigProblems, parseConfig } from '../../../config/parse.ts'
import { renderProblem } from '../../../config/problem.ts'
import { findTop } from '../session.ts'

/** `loreley validate`: all problems of the config, with line, column and hint. */
export async function validate(repo: string, { json }: { json?: true }): Promise<void> {
  const text = await loadConfigText(await findTop(repo))
  const problems = findConfigProblems(text)
  process.exitCode = problems.length === 0 ? 0 : 2
  if (json) {
    console.log(JSON.stringify({ valid: problems.length === 0, problems }))
    return
  }
  for (const problem of problems) console.error(`${renderProblem(problem, CONFIG_FILE)}\n  ${problem.hint}`)
  if (problems.length > 0) return
  const names = [...parseConfig(text, CONFIG_FILE).campaigns.keys()]
  console.log(
    `${CONFIG_FILE} is valid: ${names.length === 1 ? 'campaign' : 'campaigns'} ${names.join(', ')}.`,
  )
}
