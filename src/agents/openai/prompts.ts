import type { Plan } from '../agent.ts'
import { asData, capBytes } from '../brief/data.ts'
import type { Message } from './chat.ts'

const PLAN_BYTES = 6000
const DIAGNOSTIC_BYTES = 6000

const PLANNER = `You plan one change to a code base that is being improved by search. Look at the code with the tools, then answer with a short plan in Markdown: one sentence that names the concrete idea, three to six steps with file names, and how to tell that it worked. Name what is new compared with the parent. Do not write the code.`

const CODER = `You carry out one change to a code base that is being improved by search. Use the tools to read and edit the files; what you leave in them is your result. When the work is complete, answer without a tool call: one line of at most 72 characters that says what you changed, in the imperative.`

/** What a planner is told. */
export function planningMessages(brief: string, repoMap: string): Message[] {
  return [
    { role: 'system', content: PLANNER },
    {
      role: 'user',
      content: `${brief}\n## Files that matter most\n\n${asData('the repository', repoMap, 10_000)}`,
    },
  ]
}

/** What a coder is told; in a second pass also what was wrong with the first. */
export function codingMessages(brief: string, plan: Plan, rework: string | undefined): Message[] {
  const parts = [
    brief,
    ...(plan.text === '' ? [] : [`## The plan\n\n${capBytes(plan.text, PLAN_BYTES)}\n`]),
    ...(rework === undefined
      ? []
      : [
          `## Second pass\n\nThe folder holds your first attempt. It was refused; mend it.\n\n${asData('the check of your first attempt', rework, DIAGNOSTIC_BYTES)}\n`,
        ]),
  ]
  return [
    { role: 'system', content: CODER },
    { role: 'user', content: parts.join('\n') },
  ]
}
