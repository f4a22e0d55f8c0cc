import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import type { AppSettings } from '../ports.ts'

/** What a repository waits for after a reconcile. */
export interface Outlook {
  /** `commit`: results gathered for the next commit or report. `people`: any human act. */
  readonly waitsFor: readonly ('commit' | 'schedule' | 'runs' | 'people')[]
  /** When to reconcile next, in milliseconds since 1970. */
  readonly nextAt: number
}

interface Waiting {
  readonly drivers: readonly CampaignDriver[]
  /** The next slot of the schedule. */
  readonly slotAt: number | undefined
  readonly reconciledAt: number
  readonly fullyReconciledAt: number
  readonly now: number
}

/** What a repository waits for now. */
export function outlookOf(waiting: Waiting, settings: AppSettings): Outlook {
  const { drivers, slotAt, reconciledAt, fullyReconciledAt, now } = waiting
  const again = reconciledAt + settings.reconcileMs
  const waits: { readonly what: Outlook['waitsFor'][number]; readonly at: number }[] = []
  for (const { dueAt } of drivers) if (dueAt !== undefined) waits.push({ what: 'commit', at: dueAt })
  if (slotAt !== undefined) waits.push({ what: 'schedule', at: slotAt })
  if (drivers.some(({ snapshot }) => snapshot.state.jobs.size > 0)) waits.push({ what: 'runs', at: again })
  waits.push({ what: 'people', at: Math.max(again, fullyReconciledAt + settings.fullReconcileMs) })
  return {
    waitsFor: [...new Set(waits.map(({ what }) => what))],
    nextAt: Math.max(Math.min(...waits.map(({ at }) => at)), now),
  }
}
