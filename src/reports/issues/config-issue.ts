import { inlineText } from '../plain-markdown.ts'

/** The body of the one issue that lists what blocks Loreley here. */
export function renderConfigIssue(obstacles: readonly string[]): string {
  return [
    'Loreley cannot run in this repository yet:',
    '',
    ...obstacles.map(renderObstacle),
    '',
    'This issue closes itself once that is fixed.',
  ].join('\n')
}

/** The line for one obstacle. */
export function renderObstacle(obstacle: string): string {
  return `- ${inlineText(obstacle, 600)}`
}

/** The result of checking `.loreley.yml` on a pull request. */
export function renderConfigCheck(
  problems: readonly { readonly line: number; readonly message: string }[],
  isRemoved: boolean,
): {
  readonly title: string
  readonly summary: string
  readonly conclusion: 'success' | 'failure' | 'neutral'
} {
  if (isRemoved)
    return {
      title: 'The config is gone',
      summary: 'No campaign starts without it.',
      conclusion: 'neutral',
    }
  if (problems.length === 0)
    return {
      title: 'The config is valid',
      summary: 'It takes effect once it is on the default branch.',
      conclusion: 'success',
    }
  const lines = problems.map(({ line, message }) => `- line ${line}: ${inlineText(message, 300)}`)
  // The last line of a long list says how many problems it leaves out.
  const title =
    problems.length === 1
      ? '1 problem'
      : problems.length < 50
        ? `${problems.length} problems`
        : 'Many problems'
  return { title, summary: lines.join('\n'), conclusion: 'failure' }
}
