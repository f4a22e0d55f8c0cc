import type { CampaignState } from '../../core/campaign/campaign.ts'
import { findEffects } from '../../core/campaign/effects.ts'
import type { CampaignEvent, Effect } from '../../core/campaign/events.ts'
import type { Job } from '../../core/campaign/job.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { cancelRun, type RunFacts } from '../../github/runs/runs.ts'
import { renderRunName } from '../../protocol/dispatch.ts'
import { renderPages } from '../../reports/campaign/pages.ts'
import { CampaignLoop, type ConfigChange, type Host } from '../../store/campaign-loop.ts'
import type { Snapshot } from '../../store/state-store.ts'
import { Transcripts } from '../../store/transcripts.ts'
import type { LaterPort, LogPort, PlansPort, SettingsPort } from '../ports.ts'
import type { RunOutcomes } from '../run-outcome.ts'
import { inputsOf, JobRuns } from '../runs/job-runs.ts'
import { startJobs } from '../runs/job-starts.ts'
import { RunWatch } from '../runs/run-watch.ts'
import type { StartPorts } from './campaign-start.ts'
import type { DivergencePorts } from './divergence.ts'
import { PacedReport } from './paced-report.ts'
import { StateSteps } from './state-steps.ts'

export type DriverPorts = StartPorts & DivergencePorts & LogPort & PlansPort & SettingsPort & LaterPort

/** What people see of a campaign; each may be asked for twice. */
export interface CampaignView {
  /** Tells which of them are written. Nobody can have written the fresh ones before. */
  writeChecks(
    snapshot: Snapshot,
    ordinals: readonly number[],
    fresh: ReadonlySet<number>,
  ): Promise<readonly number[]>
  openPull(snapshot: Snapshot, effect: Effect & { type: 'open-pull' }): Promise<CampaignEvent>
  closePull(snapshot: Snapshot, effect: Effect & { type: 'close-pull' }): Promise<void>
  report(snapshot: Snapshot): Promise<void>
  /** GitHub does not take the state, so that nothing else can be shown. */
  tellRefusal(refusal: string): Promise<void>
  /** Boxes that were ticked and obeyed: the next report writes them again. */
  touched(markers: readonly string[]): void
  /** Of these boxes those that were not obeyed yet. */
  findMissed(markers: readonly string[]): readonly string[]
}

/** Drives one campaign of a repository: its runs, its steps, and what people see of them. */
export class CampaignDriver {
  readonly #ports: DriverPorts
  readonly #view: CampaignView
  readonly #outcomes: RunOutcomes
  readonly #runs: JobRuns
  readonly #watch: RunWatch
  readonly #transcripts = new Transcripts()
  /** Events that the next step takes along; none of them is lost for good when this process dies. */
  #pending: CampaignEvent[] = []
  /** Check runs that a step asked for: written together when it is taken. */
  readonly #unchecked = new Set<number>()
  #isScheduled = false
  readonly #report: PacedReport
  readonly #loop: CampaignLoop
  readonly #steps: StateSteps

  constructor(ports: DriverPorts, view: CampaignView, outcomes: RunOutcomes, snapshot: Snapshot) {
    this.#ports = ports
    this.#view = view
    this.#outcomes = outcomes
    this.#runs = new JobRuns(ports, this.#isTrusted)
    this.#watch = new RunWatch(ports, this.#runs, this.#isTrusted)
    this.#loop = CampaignLoop.open(this.#host(), snapshot)
    this.#report = new PacedReport(ports, () => view.report(this.snapshot))
    this.#steps = new StateSteps(ports, this.#loop, (refusal) => view.tellRefusal(refusal))
  }

  get snapshot(): Snapshot {
    return this.#loop.snapshot
  }

  #host(): Host {
    const { store, clock, elitePlaces } = this.#ports
    const pagesOf = (state: CampaignState) =>
      renderPages(state, { eliteNote: elitePlaces.noteOf(state.campaign.id, this.snapshot.config) })
    return {
      store,
      renderPages: (state) => new Map([...pagesOf(state), ...this.#transcripts.render()]),
      now: () => new Date(clock.now()),
      jitter: () => clock.jitter(),
      perform: (effect, snapshot) => this.#try(effect.type, () => this.#attempt(effect, snapshot)),
    }
  }

  /** Another process may have carried the campaign on. */
  async reload(): Promise<void> {
    await this.#loop.reload()
  }

  /** Writes the dashboard again, which somebody has ticked. */
  showAgain(markers: readonly string[]): void {
    this.#view.touched(markers)
    this.show()
  }

  /** Has the dashboard say where it stands: an earlier report may have failed, or died with a process. */
  show(): void {
    this.#report.request()
  }

  /** Of ticked boxes those that nobody has told us of. */
  findMissed(markers: readonly string[]): readonly string[] {
    return this.#view.findMissed(markers)
  }

  /** Takes in events now, with all that wait. */
  async take(...events: CampaignEvent[]): Promise<void> {
    await this.#step(events)
  }

  async #step(events: readonly CampaignEvent[], change?: ConfigChange): Promise<void> {
    const entries = await this.#steps.take([...this.#pending.splice(0), ...events], change)
    this.#transcripts.committed()
    await this.#start()
    await this.#writeChecks(new Set(entries.map(({ ordinal }) => ordinal)))
  }

  /** What GitHub says against this campaign's state, while it does not take it. */
  get refusal(): string | undefined {
    return this.#steps.refusal
  }

  /** Takes in what waits for the next step: whoever asks now shall see it. */
  async takeWaiting(): Promise<void> {
    if (this.#pending.length > 0) await this.take()
  }

  /** Takes over another config, with all that waits. */
  async reconfigure(change: ConfigChange): Promise<void> {
    await this.#step([], change)
  }

  /** A run of this campaign ended: the next job starts at once, its result goes into the next step. */
  async completed(run: RunFacts): Promise<void> {
    const job = this.#jobOf(run)
    if (job === undefined) return
    // Anybody who may write can start a run of the same name: it says nothing about ours.
    const known = this.#runs.runOf(job)
    if (known !== run.id && !this.#isTrusted(run)) {
      this.#ports.log('warn', 'a run that we did not start is ignored', { run: run.id })
      return
    }
    // One of two that were dispatched for the same attempt: the other one was chosen.
    if (known !== undefined && known !== run.id) return
    const { result, plan, transcript } = await this.#outcomes.read(this.snapshot, job, run)
    this.#runs.forget(job.ordinal)
    const { campaign } = this.snapshot.state
    if (plan !== undefined) this.#ports.plans.set(candidateId(campaign.id, job.ordinal), plan)
    this.#transcripts.add(job.ordinal, transcript)
    const { ordinal, attempt } = job
    this.#pending.push({ type: 'finished', ordinal, attempt, run: run.id, result })
    await this.#start()
    this.#schedule()
  }

  readonly #isTrusted = (run: RunFacts): boolean =>
    this.#outcomes.trust(this.snapshot, run).status === 'trusted'

  #jobOf({ title }: RunFacts): Job | undefined {
    const open = [...this.snapshot.state.jobs.values()].filter(({ result }) => result === undefined)
    const isDone = (job: Job): boolean =>
      this.#pending.some((event) => event.type === 'finished' && event.ordinal === job.ordinal)
    return open.find((job) => renderRunName(inputsOf(this.snapshot, job)) === title && !isDone(job))
  }

  /** Compares open jobs with what GitHub says of their runs, and finishes what was begun. */
  async reconcile(): Promise<void> {
    const { state } = this.snapshot
    const open = [...state.jobs.values()].filter(({ result }) => result === undefined)
    const events: CampaignEvent[] = [{ type: 'timer' }]
    for (const followed of await this.#watch.follow(this.snapshot, open)) {
      if (followed.status === 'ended') await this.completed(followed.run)
      else events.push(followed.event)
    }
    if (events.length > 1 || this.#pending.length > 0 || this.#isDue()) await this.take(...events)
    else await this.#start()
  }

  // While runs are under way or people are waited for, and nothing is owed, a step would only write down that time has passed.
  #isDue(): boolean {
    const { state } = this.snapshot
    const { campaign, jobs } = state
    const { clock, settings } = this.#ports
    const isOwed = findEffects({ before: state, after: state, events: [] }).length > 0
    if (isOwed || campaign.status.phase === 'paused') return isOwed
    const restMs = clock.now() - Date.parse(campaign.lastTickAt ?? '1970-01-01')
    return jobs.size === 0 || restMs >= settings.fullReconcileMs
  }

  async #try(what: Effect['type'], work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      // The state still owes it: the next tick asks again.
      this.#ports.log('warn', `${what} failed`, { campaign: this.snapshot.state.campaign.id, error })
    }
  }

  async #attempt(effect: Effect, snapshot: Snapshot): Promise<void> {
    switch (effect.type) {
      case 'dispatch':
        return this.#runs.enqueue(effect.job, effect.again)
      case 'cancel':
        await cancelRun(this.#ports.api, effect.run)
        return
      case 'check':
        this.#unchecked.add(effect.ordinal)
        return
      case 'open-pull':
        this.#pending.push(await this.#view.openPull(snapshot, effect))
        return this.#schedule()
      case 'close-pull':
        return await this.#view.closePull(snapshot, effect)
      case 'report':
        return this.show()
    }
  }

  async #writeChecks(fresh: ReadonlySet<number>): Promise<void> {
    const ordinals = [...this.#unchecked]
    this.#unchecked.clear()
    await this.#try('check', async () => {
      const written = await this.#view.writeChecks(this.snapshot, ordinals, fresh)
      this.#pending.push(...written.map((ordinal) => ({ type: 'checked' as const, ordinal })))
    })
  }

  async #start(): Promise<void> {
    await this.#try('dispatch', async () => {
      const events = await startJobs(this.#ports, this.#runs, this.snapshot)
      this.#pending.push(...events)
      if (events.some(({ type }) => type === 'hold')) this.#schedule()
    })
  }

  // Steps are gathered: results that come together are one commit.
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    const { least, most } = this.#ports.settings.statePace.gatherMs
    this.#ports.later(least + (most - least) * this.#ports.clock.jitter(), async () => {
      this.#isScheduled = false
      await this.take()
    })
  }
}
