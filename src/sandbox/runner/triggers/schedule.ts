import { Cron } from 'croner'
import { listWorkflowsAt } from '../../actions/workflows/workflows.ts'
import type { Box } from '../../box.ts'
import { repositories } from '../../state/documents.ts'
import { getUser } from '../../state/lookups.ts'
import { asRecord } from '../syntax/values.ts'
import { readWorkflow } from '../syntax/workflow-definition.ts'
import { startTriggered } from './triggers.ts'

const MINUTE_MS = 60_000

/** Starts scheduled workflows every minute, until the returned function is called. */
export function watchClock(box: Box): () => void {
  const timer = setInterval(() => {
    startScheduled(box, box.now()).catch((error: unknown) => {
      box.reportDeviation(`starting scheduled workflows failed: ${String(error)}`)
    })
  }, MINUTE_MS)
  // The timer must not keep the process alive.
  timer.unref()
  return () => clearInterval(timer)
}

/** Starts every workflow on a default branch that is scheduled for this minute. */
export async function startScheduled(box: Box, minute: Date): Promise<void> {
  for (const repo of repositories(box.store).all()) {
    const git = await box.git.get(repo.id)
    const head = await git.find(`refs/heads/${repo.defaultBranch}^{commit}`)
    if (head === undefined) continue
    const due = new Set<string>()
    for (const { workflow, text } of await listWorkflowsAt(box, repo, head.id)) {
      const reading = readWorkflow(workflow.path, text)
      const events = reading.status === 'valid' ? reading.definition.events : {}
      for (const cron of listDue(events.schedule, minute)) due.add(cron)
    }
    const sender = getUser(box.store, repo.owner)
    for (const schedule of due) {
      await startTriggered(box, { name: 'schedule', payload: { schedule }, repo, sender })
    }
  }
}

/** The cron expressions that are due in this minute. */
export function listDue(schedules: unknown, minute: Date): string[] {
  const atStart = new Date(Math.floor(minute.getTime() / MINUTE_MS) * MINUTE_MS)
  return (Array.isArray(schedules) ? schedules : []).flatMap((one: unknown) => {
    const { cron, timezone = 'UTC' } = asRecord(one)
    const isDue = new Cron(String(cron), { timezone: String(timezone) }).match(atStart)
    return isDue ? [String(cron)] : []
  })
}
