import type { Job } from '../campaign/job.ts'
import { cleanText } from '../clean-text.ts'
import type { CommitCard } from './commit-card.ts'

export interface CommitFacts {
  readonly campaign: string
  readonly candidate: string
  readonly job: Job
  readonly agent: string
  readonly summary: string
  readonly card?: CommitCard | undefined
  /** The models that planned and coded; empty for an agent without one. */
  readonly models?: readonly string[] | undefined
}

const SUBJECT_CHARACTERS = 72
const SKIP = '[skip ci]'

/** The message of a candidate's commit. It skips CI, because nobody has read the code yet. */
export function renderCommitMessage(facts: CommitFacts): string {
  const { campaign, candidate, job, agent, summary, card, models = [] } = facts
  const subject =
    defuse(summary)
      .slice(0, SUBJECT_CHARACTERS - SKIP.length - 1)
      .replace(/[\ud800-\udbff]$/, '')
      .trim() || candidate
  const parents = [job.parent, ...(job.operator === 'crossover' ? job.inspirations.slice(0, 1) : [])]
  return `${subject} ${SKIP}

${card === undefined ? '' : `${renderCard(card)}\n\n`}Loreley-Campaign: ${campaign}
Loreley-Candidate: ${candidate}
Loreley-Parents: ${parents.map(({ ordinal }) => ordinal).join(', ')}
Loreley-Operator: ${job.operator}
Loreley-Agent: ${agent}
${models.length === 0 ? '' : `Loreley-Model: ${models.map(defuse).join(', ')}\n`}`
}

// Paths are untrusted, too: a line break in one could forge a trailer.
function renderCard({ files, highlights }: CommitCard): string {
  const lines = highlights.map(
    ({ path, linesAdded, linesRemoved }) => `- ${defuse(path)}: +${linesAdded} -${linesRemoved}`,
  )
  const more = files > highlights.length ? [`- and ${files - highlights.length} more`] : []
  return [`${files} ${files === 1 ? 'file' : 'files'} changed:`, ...lines, ...more].join('\n')
}

// An agent's words must not steer CI, close issues or mention people when the commit is pushed. What one step takes out may
// join what another looks for (`closes #@5`, `@@ada`): so until nothing changes.
function defuse(text: string): string {
  let [before, after] = ['', cleanText(text, 500)]
  while (after !== before) [before, after] = [after, defuseOnce(after)]
  return after
}

function defuseOnce(text: string): string {
  return text
    .replaceAll(/\[\s*(skip|no|ci|actions)[\s-]+(ci|actions|skip)\s*\]|\*\*\*NO_CI\*\*\*/gi, '')
    .replaceAll(/\b(skip|request)-checks\s*:/gi, '')
    .replaceAll(
      /\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?)(?=:?\s*\S*(?:#|\bGH-|\/issues\/|\/pull\/)\d)/gi,
      'see',
    )
    .replaceAll(/(?<!\w)@(?=\w)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
