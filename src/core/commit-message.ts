import type { Job } from './campaign.ts'
import { cleanText } from './clean-text.ts'

export interface CommitFacts {
  readonly campaign: string
  readonly candidate: string
  readonly job: Job
  readonly agent: string
  readonly summary: string
}

const SUBJECT_CHARACTERS = 72
const SKIP = '[skip ci]'

/** The message of a candidate's commit. No CI starts for it: nobody has read it yet. */
export function renderCommitMessage({ campaign, candidate, job, agent, summary }: CommitFacts): string {
  const subject =
    defuse(summary)
      .slice(0, SUBJECT_CHARACTERS - SKIP.length - 1)
      .replace(/[\ud800-\udbff]$/, '')
      .trim() || candidate
  const parents = [job.parent, ...(job.operator === 'crossover' ? job.inspirations.slice(0, 1) : [])]
  return `${subject} ${SKIP}

Loreley-Campaign: ${campaign}
Loreley-Candidate: ${candidate}
Loreley-Parents: ${parents.map(({ ordinal }) => ordinal).join(', ')}
Loreley-Operator: ${job.operator}
Loreley-Agent: ${agent}
`
}

// An agent's words must neither steer CI nor close issues or ping people when the commit is pushed.
function defuse(text: string): string {
  return cleanText(text, 500)
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
