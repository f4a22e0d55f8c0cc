import type { AgentTask, Plan } from '../agent.ts'
import { asData, capBytes } from './data.ts'
import { loadPatches, renderBrief } from './render.ts'

const PLAN_BYTES = 6000
const DIAGNOSTIC_BYTES = 6000

/** What the coder is told: the brief, the plan if any, and on a second pass what was wrong. */
export async function renderWork(task: AgentTask, plan: Plan): Promise<string> {
  const { brief, workspace, rework } = task
  const parts = [
    renderBrief(brief, await loadPatches(brief, workspace)),
    ...(plan.text === '' ? [] : [`## The plan\n\n${capBytes(plan.text, PLAN_BYTES)}\n`]),
    ...(rework === undefined ? [] : [renderRework(rework)]),
  ]
  return parts.join('\n')
}

function renderRework(diagnostic: string): string {
  const said = asData('the check of your first attempt', diagnostic, DIAGNOSTIC_BYTES)
  return `## Second pass\n\nThe folder holds your first attempt. It was refused: fix it.\n\n${said}\n`
}
