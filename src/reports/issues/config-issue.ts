import { inlineText } from '../plain-markdown.ts'

/** The body of the one issue that says what keeps Loreley from working here. */
export function renderConfigIssue(obstacles: readonly string[]): string {
  return [
    'Loreley cannot work in this repository yet:',
    '',
    ...obstacles.map(renderObstacle),
    '',
    'This issue closes itself when that is mended.',
  ].join('\n')
}

/** The line of that issue which names one obstacle. */
export function renderObstacle(obstacle: string): string {
  return `- ${inlineText(obstacle, 600)}`
}

/** A check of `.loreley.yml` on a pull request: its result in a title and a sentence. */
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
      title: 'The config is removed',
      summary: 'Without it no campaign starts.',
      conclusion: 'neutral',
    }
  if (problems.length === 0)
    return {
      title: 'The config is fine',
      summary: 'It takes effect once it is on the default branch.',
      conclusion: 'success',
    }
  const lines = problems
    .slice(0, 50)
    .map(({ line, message }) => `- line ${line}: ${inlineText(message, 300)}`)
  const title = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  return { title, summary: lines.join('\n'), conclusion: 'failure' }
}
