import type { Agent, AgentTask, Brief, CodeOutcome, Health, Plan } from '../agent.ts'
import { crossover } from './crossover.ts'
import { openDraft } from './draft.ts'
import { mixFor } from './mix.ts'
import { mutate } from './mutate.ts'
import { renderSummary } from './summary.ts'

/** An agent without model or network: it makes small random edits that keep the syntax. */
export function createOfflineAgent(): Agent {
  return { name: 'offline', secrets: [], canRework: false, plan, code, checkHealth }
}

// The plan draws no random numbers, so `code` gives the same result with or without it.
async function plan({ brief, workspace }: AgentTask): Promise<Plan> {
  return { text: renderPlan(brief, workspace.editablePaths.length) }
}

async function code(task: AgentTask): Promise<CodeOutcome> {
  const { brief, workspace, rng } = task
  const draft = await openDraft(workspace)
  if (draft.files.length === 0) return unchanged('there is no editable text file of at most 256 KiB')
  const taken = brief.operator === 'crossover' ? await crossover(draft, task) : []
  // Two parents have few distinct children, so a third of them also gets a mutation.
  const mutates = taken.length === 0 || rng.int(3) === 0
  const added = mutates ? await mutate(draft, mixFor(brief), task) : []
  const paths = await draft.save()
  if (paths.length === 0) return unchanged('no edit was found that changes a file and keeps its syntax')
  return { status: 'changed', summary: renderSummary([...taken, ...added], paths) }
}

async function checkHealth(): Promise<Health[]> {
  return [{ what: 'the offline agent', ok: true, detail: 'needs neither model nor network' }]
}

function unchanged(reason: string): CodeOutcome {
  return { status: 'unchanged', reason }
}

/** Lists the possible edits and their probabilities in Markdown. The coding step draws them. */
function renderPlan(brief: Brief, fileCount: number): string {
  const mix = mixFor(brief)
  const total = mix.reduce((sum, { weight }) => sum + weight, 0)
  const shares = mix
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ name, weight }) => `- ${name}: ${Math.round((100 * weight) / total)} %`)
  const lens = brief.lens === undefined ? '' : `, seen through the lens ${brief.lens.name}`
  const paragraphs = [
    ...renderDonation(brief),
    `One to three edits in ${fileCount} editable files${lens}. Each is drawn by chance:`,
    shares.join('\n'),
    'An edit that brings in a syntax error is thrown away.',
  ]
  return `${paragraphs.join('\n\n')}\n`
}

function renderDonation({ operator, inspirations }: Brief): string[] {
  const donor = operator === 'crossover' ? inspirations[0]?.ordinal : undefined
  if (donor === undefined) return []
  return [`First take changes from candidate ${donor}. In one case of three, and if it has none to give:`]
}
