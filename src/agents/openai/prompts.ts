import { asData } from '../brief/data.ts'
import type { Message } from './chat.ts'

const MAP_BYTES = 10_000

const PLANNER = `You plan one change to a code base that is being improved by search. Look at the code with the tools, then answer with a short plan in Markdown: one sentence that names the concrete idea, three to six steps with file names, and how to tell that it worked. Name what is new compared with the parent. Do not write the code.`

const CODER = `You carry out one change to a code base that is being improved by search. Use the tools to read and edit the files; what you leave in them is your result. When the work is complete, answer without a tool call: one line of at most 72 characters that says what you changed, in the imperative.`

/** What a planner is told. */
export function planningMessages(brief: string, repoMap: string): Message[] {
  const files = asData('the repository', repoMap, MAP_BYTES)
  return [
    { role: 'system', content: PLANNER },
    { role: 'user', content: `${brief}\n## Files that matter most\n\n${files}` },
  ]
}

/** What a coder is told. */
export function codingMessages(work: string): Message[] {
  return [
    { role: 'system', content: CODER },
    { role: 'user', content: work },
  ]
}
