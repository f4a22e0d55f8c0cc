import { addUsage } from '../../core/budget/budget.ts'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import { findEffects } from '../../core/campaign/effects.ts'
import type { CampaignEvent } from '../../core/campaign/events.ts'
import type { Job } from '../../core/campaign/job.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { LoreleyError } from '../../errors.ts'
import type { RunFacts } from '../../github/runs/runs.ts'
import { renderRunName } from '../../protocol/dispatch.ts'
import { renderPages } from '../../reports/campaign/pages.ts'
import { CampaignLoop, type ConfigChange, type Host } from '../../store/campaign-loop.ts'
import type { Snapshot } from '../../store/state-store.ts'
import { Transcripts } from '../../store/transcripts.ts'
import type { Log, PlansPort, SettingsPort } from '../ports.ts'
import { inputsOf, JobRuns } from '../runs/job-runs.ts'
import type { RunOutcomes } from '../runs/run-outcome.ts'
import { RunWatch } from '../runs/run-watch.ts'
import { type DivergencePorts, findRefusals } from './divergence.ts'
import { type CampaignView, type Flushed, Outbox, type OutboxPorts } from './outbox.ts'
import { PacedReport } from './paced-report.ts'

export type DriverPorts = OutboxPorts & DivergencePorts & PlansPort & SettingsPort

/** The dashboard of a campaign, which also reports problems. */
export interface CampaignReport {
  report(snapshot: Snapshot): Promise<void>
  /** Reports that GitHub refuses the state. Until that is fixed, nothing new can be shown. */
  tellRefusal(refusal: string): Promise<void>
  /** Notes boxes that were ticked and obeyed. The next report clears them. */
  touched(markers: readonly string[]): void
  /** Returns the boxes that were not obeyed yet. */
  findMissed(markers: readonly string[]): readonly string[]
}

export interface DriverParts {
  readonly view: CampaignView & CampaignReport
  readonly outcomes: RunOutcomes
}

// A ref is refused, then published elsewhere, then there is no news.
const REFUSAL_TRIES = 3

/**
 * Drives one campaign. Events wait in the inbox, a step commits them, and the outbox performs the effects of the
 * committed state. What the outbox learns goes back into the inbox.
 */
export class CampaignDriver {
  readonly #ports: DriverPorts
  readonly #parts: DriverParts
  readonly #runs: JobRuns
  readonly #watch: RunWatch
  readonly #transcripts = new Transcripts()
  readonly #loop: CampaignLoop
  readonly #outbox: Outbox
  readonly #report: PacedReport
  /** Events for the next step. If this process dies, the next one learns them from GitHub again. */
  #inbox: CampaignEvent[] = []
  /** When to commit the inbox; undefined while nothing in it is urgent. */
  #stepAt: number | undefined
  #refusal: string | undefined

  constructor(ports: DriverPorts, parts: DriverParts, snapshot: Snapshot) {
    this.#ports = ports
    this.#parts = parts
    this.#runs = new JobRuns(ports, this.#isTrusted)
    this.#watch = new RunWatch(ports, this.#runs, this.#isTrusted)
    this.#outbox = new Outbox({ ...ports, log: this.#log }, { runs: this.#runs, view: parts.view })
    this.#report = new PacedReport(ports, () => parts.view.report(this.snapshot))
    this.#loop = CampaignLoop.open(this.#host(), snapshot)
  }

  get snapshot(): Snapshot {
    return this.#loop.snapshot
  }

  readonly #log: Log = (level, message, facts) =>
    this.#ports.log(level, message, { campaign: this.snapshot.state.campaign.id, ...facts })

  /** Why GitHub refuses this campaign's state; undefined while it accepts it. */
  get refusal(): string | undefined {
    return this.#refusal
  }

  #host(): Host {
    const { store, clock, eliteNamespaces } = this.#ports
    const pagesOf = (state: CampaignState) =>
      renderPages(state, { eliteNote: eliteNamespaces.noteOf(state.campaign.id, this.snapshot.config) })
    return {
      store,
      renderPages: (state) => new Map([...pagesOf(state), ...this.#transcripts.render()]),
      now: () => new Date(clock.now()),
      jitter: () => clock.jitter(),
      perform: async (effect) => {
        if (effect.type === 'report') this.show()
        else this.#outbox.put(effect)
      },
    }
  }

  /** Another process may have started jobs that wait here. */
  doubt(): void {
    this.#runs.doubt()
  }

  /** Another process has continued the campaign. */
  async reload(): Promise<void> {
    this.doubt()
    await this.#loop.reload()
  }

  /** Clears boxes that were obeyed. At once, because another process would obey a box that is still ticked. */
  showAgain(markers: readonly string[]): void {
    this.#parts.view.touched(markers)
    this.#report.requestNow()
  }

  /** Requests a fresh dashboard. An earlier report may have failed, or its process may have died. */
  show(): void {
    this.#report.request()
  }

  /** Returns the ticked boxes that were not obeyed yet. */
  findMissed(markers: readonly string[]): readonly string[] {
    return this.#parts.view.findMissed(markers)
  }

  /** Commits events now, together with the inbox. */
  async take(...events: CampaignEvent[]): Promise<void> {
    await this.#step(events)
  }

  /** Commits the inbox, so that an answer given now is up to date. */
  async takeWaiting(): Promise<void> {
    if (this.#inbox.length > 0) await this.take()
  }

  /** Switches to another config and commits the inbox. */
  async reconfigure(change: ConfigChange): Promise<void> {
    await this.#step([], change)
  }

  /** When `settle` has a commit or a report to make. */
  get dueAt(): number | undefined {
    const times = [this.#stepAt, this.#report.dueAt].filter((time) => time !== undefined)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Commits and reports what is due. */
  async settle(): Promise<void> {
    while (this.#stepAt !== undefined && this.#stepAt <= this.#ports.clock.now()) await this.take()
    await this.#report.settle()
  }

  /** Whether a later commit or report is pending. */
  get isGathering(): boolean {
    return this.#inbox.length > 0 || this.dueAt !== undefined
  }

  /** Commits and reports everything pending, due or not, because the process ends. */
  async finish(): Promise<void> {
    await this.takeWaiting()
    await this.#report.finish()
  }

  async #step(given: readonly CampaignEvent[], change?: ConfigChange): Promise<void> {
    this.#stepAt = undefined
    const { id, root } = this.snapshot.state.campaign
    // Asked once, and only for a campaign that moves, so that idle ones cost no requests.
    await this.#ports.eliteNamespaces.look({ campaign: id, root })
    const events = [...this.#inbox.splice(0), ...given]
    const entries: LedgerEntry[] = []
    let isCommitted = false
    try {
      await this.#commit(events, change, entries)
      isCommitted = true
      this.#refusal = undefined
      this.#transcripts.committed()
    } catch (error) {
      this.#refusal = findStateRefusal(error)
      if (this.#refusal !== undefined) await this.#parts.view.tellRefusal(this.#refusal)
      throw error
    } finally {
      // Effects committed before a fault are still performed. No run starts: another process may have taken over.
      if (!isCommitted) this.doubt()
      const fresh = new Set(entries.map(({ ordinal }) => ordinal))
      this.#learn(await this.#outbox.flush(this.snapshot, { fresh, mayStart: isCommitted }))
    }
  }

  // Records the refs that GitHub refused before anything new starts.
  async #commit(
    events: readonly CampaignEvent[],
    change: ConfigChange | undefined,
    entries: LedgerEntry[],
  ): Promise<void> {
    let step = await this.#loop.step(events, change)
    entries.push(...step.entries)
    for (let tried = 0; tried < REFUSAL_TRIES; tried++) {
      const news = await findRefusals(this.#ports, this.snapshot, step.unpublished)
      if (news.length === 0) return
      step = await this.#loop.step(news)
      entries.push(...step.entries)
    }
  }

  // Results that arrive together become one commit.
  #learn({ events, isUrgent }: Flushed): void {
    this.#inbox.push(...events)
    if (!isUrgent || this.#stepAt !== undefined) return
    const { clock, settings } = this.#ports
    const { least, most } = settings.statePace.gatherMs
    this.#stepAt = clock.now() + least + (most - least) * clock.jitter()
  }

  /** A run of this campaign ended. The next job starts at once; the result waits for the next step. */
  async completed(run: RunFacts): Promise<void> {
    const job = this.#jobOf(run)
    if (job === undefined) return
    // Anybody with write access can start a run with the same name. It says nothing about ours.
    const known = this.#runs.runOf(job)
    if (known !== run.id && !this.#isTrusted(run)) {
      this.#log('warn', 'a run that we did not start is ignored', { run: run.id })
      return
    }
    // Two runs were dispatched for this attempt, and the other one was chosen.
    if (known !== undefined && known !== run.id) return this.#watch.noteDuplicate(job, run.id)
    const { result, plan, transcript } = await this.#parts.outcomes.read(this.snapshot, job, run)
    const wasted = await this.#watch.costOfDuplicates(this.snapshot, job, run.id)
    this.#runs.forget(job)
    const { campaign } = this.snapshot.state
    if (plan !== undefined) this.#ports.plans.set(candidateId(campaign.id, job.ordinal), plan)
    this.#transcripts.add(job.ordinal, transcript)
    const { ordinal, attempt } = job
    this.#learn({
      events: [
        {
          type: 'finished',
          ordinal,
          attempt,
          run: run.id,
          result: { ...result, usage: addUsage(result.usage, wasted) },
        },
      ],
      isUrgent: true,
    })
    this.#learn(await this.#outbox.startRuns(this.snapshot))
  }

  readonly #isTrusted = (run: RunFacts): boolean =>
    this.#parts.outcomes.trust(this.snapshot, run).status === 'trusted'

  #jobOf({ title }: RunFacts): Job | undefined {
    const open = [...this.snapshot.state.jobs.values()].filter(({ result }) => result === undefined)
    const isDone = (job: Job): boolean =>
      this.#inbox.some((event) => event.type === 'finished' && event.ordinal === job.ordinal)
    return open.find((job) => renderRunName(inputsOf(this.snapshot, job)) === title && !isDone(job))
  }

  /** Compares open jobs with their runs on GitHub, and takes a step if one is due. */
  async reconcile(): Promise<void> {
    const { state } = this.snapshot
    const open = [...state.jobs.values()].filter(({ result }) => result === undefined)
    const events: CampaignEvent[] = [{ type: 'timer' }]
    for (const followed of await this.#watch.follow(this.snapshot, open)) {
      if (followed.status === 'ended') await this.completed(followed.run)
      else events.push(followed.event)
    }
    if (events.length > 1 || this.#inbox.length > 0 || this.#isTickDue()) await this.take(...events)
    else this.#learn(await this.#outbox.startRuns(this.snapshot))
  }

  // While only runs or people are awaited, a step would merely record the time.
  #isTickDue(): boolean {
    const { state } = this.snapshot
    const { campaign, jobs } = state
    const { clock, settings } = this.#ports
    const isOwed = findEffects({ before: state, after: state, events: [] }).length > 0
    if (isOwed || campaign.status.phase === 'paused') return isOwed
    const restMs = clock.now() - Date.parse(campaign.lastTickAt ?? '1970-01-01')
    return jobs.size === 0 || restMs >= settings.fullReconcileMs
  }
}

/** GitHub's reason for refusing the state, with its remedy; undefined for every other fault. */
function findStateRefusal(error: unknown): string | undefined {
  return error instanceof LoreleyError && error.code === 'state-refused'
    ? `${error.message} ${error.hint}`
    : undefined
}
