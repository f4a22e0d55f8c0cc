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
import { bindingOf, JobRuns } from '../runs/job-runs.ts'
import type { RunOutcome, RunOutcomes } from '../runs/run-outcome.ts'
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

/** A claim that was read or committed so recently still holds. Less than `startMs`, for which others wait. */
const CLAIM_TRUSTED_MS = 5000
const LOOK_MS = 1000

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
  /** What the next events that somebody takes are committed with. */
  #companion: CampaignEvent | undefined
  /** When to commit the inbox; undefined while nothing in it is urgent. */
  #stepAt: number | undefined
  /** When to look again at jobs that wait although there is room. */
  #lookAt: number | undefined
  /** When this process last read or committed the state. */
  #readAt = Number.NEGATIVE_INFINITY
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

  /** Another process has continued the campaign. */
  async reload(): Promise<void> {
    await this.#loop.reload()
    this.#readAt = this.#ports.clock.now()
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

  /** Commits an event with the first events that `work` takes, or not at all. */
  async takingWith<T>(event: CampaignEvent, work: () => Promise<T>): Promise<T> {
    this.#companion = event
    try {
      return await work()
    } finally {
      this.#companion = undefined
    }
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
    const times = [this.#stepAt, this.#lookAt, this.#report.dueAt].filter((time) => time !== undefined)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Commits and reports what is due. */
  async settle(): Promise<void> {
    const isDue = (at: number | undefined): boolean => at !== undefined && at <= this.#ports.clock.now()
    while (isDue(this.#stepAt)) await this.take()
    if (isDue(this.#lookAt)) await this.reconcile()
    await this.#report.settle()
  }

  /** Whether a later commit or report is pending. */
  get isGathering(): boolean {
    return this.#inbox.length > 0 || this.#stepAt !== undefined || this.#report.dueAt !== undefined
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
    const left = this.#watch.findLeft(this.snapshot)
    const companion = given.length > 0 && this.#companion !== undefined ? [this.#companion] : []
    if (companion.length > 0) this.#companion = undefined
    const events = [...this.#inbox.splice(0), ...given, ...companion, this.#runs.claim(left)]
    const entries: LedgerEntry[] = []
    let isCommitted = false
    try {
      await this.#commit(events, change, entries)
      isCommitted = true
      this.#readAt = this.#ports.clock.now()
      this.#refusal = undefined
      this.#transcripts.committed()
    } catch (error) {
      this.#refusal = findStateRefusal(error)
      if (this.#refusal !== undefined) await this.#parts.view.tellRefusal(this.#refusal)
      throw error
    } finally {
      // Effects committed before a fault are still performed. No run starts: another process may have taken over.
      const fresh = new Set(entries.map(({ ordinal }) => ordinal))
      this.#learn(await this.#outbox.flush(this.snapshot, { fresh, mayStart: isCommitted }))
      this.#planLook()
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
    const known = job && this.#runs.runOf(job)
    // Anybody with write access can start a run with the same name. It says nothing about ours.
    if (known !== run.id && !this.#isTrusted(run)) {
      if (job !== undefined) this.#log('warn', 'a run that we did not start is ignored', { run: run.id })
      return
    }
    if (job === undefined || (known !== undefined && known !== run.id)) {
      const events = await this.#watch.followDuplicate(this.snapshot, run)
      return this.#learn({ events, isUrgent: events.length > 0 })
    }
    const outcome = await this.#parts.outcomes.read(this.snapshot, job, run)
    this.#runs.forget(job)
    const { ordinal, attempt } = job
    this.#learn({ events: this.#eventsOf({ ordinal, attempt, run: run.id }, outcome), isUrgent: true })
    await this.#startRuns()
  }

  #eventsOf(
    job: { readonly ordinal: number; readonly attempt: number; readonly run: number },
    { result, plan, transcript, ranAgain }: RunOutcome,
  ): readonly CampaignEvent[] {
    // It is cancelled, and the job gets a run of its own again.
    if (ranAgain === true)
      return [
        { type: 'dispatched', ...job },
        { type: 'withdrawn', ...job, usage: result.usage },
      ]
    const { id } = this.snapshot.state.campaign
    if (plan !== undefined) this.#ports.plans.set(candidateId(id, job.ordinal), plan)
    this.#transcripts.add(job.ordinal, transcript)
    return [{ type: 'finished', ...job, result }]
  }

  // Another process may have taken over the jobs that this one has claimed: look at the state before each start.
  async #startRuns(): Promise<void> {
    if (this.#runs.findStartable(this.snapshot.state).length > 0) {
      if (this.#ports.clock.now() - this.#readAt >= CLAIM_TRUSTED_MS) await this.reload()
      this.#learn(await this.#outbox.startRuns(this.snapshot))
    }
    this.#planLook()
  }

  // The process that has claimed them may be gone, or GitHub did not answer.
  #planLook(): void {
    const { clock, settings } = this.#ports
    const isWaiting = this.#runs.findDue(this.snapshot.state).length > 0
    this.#lookAt = isWaiting ? clock.now() + Math.max(settings.startMs, LOOK_MS) : undefined
  }

  readonly #isTrusted = (run: RunFacts): boolean =>
    this.#parts.outcomes.trust(this.snapshot, run).status === 'trusted'

  #jobOf({ title }: RunFacts): Job | undefined {
    const open = [...this.snapshot.state.jobs.values()].filter(({ result }) => result === undefined)
    const isDone = (job: Job): boolean =>
      this.#inbox.some((event) => event.type === 'finished' && event.ordinal === job.ordinal)
    return open.find((job) => renderRunName(bindingOf(this.snapshot.state, job)) === title && !isDone(job))
  }

  /** Compares open jobs with their runs on GitHub, and takes a step if one is due. */
  async reconcile(): Promise<void> {
    const events: CampaignEvent[] = [{ type: 'timer' }]
    for (const followed of await this.#watch.follow(this.snapshot)) {
      if (followed.status === 'ended') await this.completed(followed.run)
      else events.push(followed.event)
    }
    const isLeft = this.#watch.findLeft(this.snapshot).length > 0
    if (events.length > 1 || this.#inbox.length > 0 || isLeft || this.#isTickDue()) await this.take(...events)
    else await this.#startRuns()
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
