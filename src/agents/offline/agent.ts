import type { Agent, AgentTask, CodeOutcome, Plan } from '../agent.ts'
import { crossover } from './crossover.ts'
import { openDraft } from './draft.ts'
import { mixFor } from './mix.ts'
import { mutate } from './mutate.ts'
import { renderSummary } from './summary.ts'

const NO_USAGE = { tokens: 0, dollars: 0 } as const

/** An agent without model or network: it makes small random edits that keep the syntax, and knows no program. */
export function createOfflineAgent(): Agent {
  return { name: 'offline', plan, code }
}

// The plan draws nothing: `code` then depends on its own generator alone, planned or not.
async function plan({ brief, workplace }: AgentTask): Promise<Plan> {
  const mix = mixFor(brief.lens)
  const total = mix.reduce((sum, { weight }) => sum + weight, 0)
  const shares = mix
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ name, weight }) => `- ${name}: ${Math.round((100 * weight) / total)} %`)
  const donor = brief.operator === 'crossover' ? brief.inspirations[0] : undefined
  const first =
    donor === undefined
      ? []
      : [`First try to take changes from candidate ${donor}. If it has none to give:`, '']
  const text = [
    ...first,
    `One to three edits in ${workplace.editablePaths.length} editable files${brief.lens === undefined ? '' : `, seen through the lens ${brief.lens}`}. Each is drawn by chance:`,
    '',
    ...shares,
    '',
    'An edit that brings in a syntax error is thrown away.',
    '',
  ].join('\n')
  return { text, usage: NO_USAGE }
}

async function code(task: AgentTask): Promise<CodeOutcome> {
  const { brief, workplace, rng } = task
  const draft = await openDraft(workplace)
  if (draft.files.length === 0) return unchanged('there is no editable text file of at most 256 KiB')
  const taken = brief.operator === 'crossover' ? await crossover(draft, task) : []
  // Two parents can only give so many children: a third of them gets a mutation on top.
  const mutates = taken.length === 0 || rng.int(3) === 0
  const added = mutates ? await mutate(draft, mixFor(brief.lens), task) : []
  const paths = await draft.save()
  if (paths.length === 0) return unchanged('no edit was found that changes a file and keeps its syntax')
  return { status: 'changed', summary: renderSummary([...taken, ...added], paths), usage: NO_USAGE }
}

function unchanged(reason: string): CodeOutcome {
  return { status: 'unchanged', reason, usage: NO_USAGE }
}
