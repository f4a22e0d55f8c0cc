import type { CampaignEvent, Effect, Job } from '../core/campaign.ts'
import { cancelRun, type RunFacts } from '../github/runs.ts'
import { CampaignLoop, type ConfigChange, type Host } from '../host/loop.ts'
import { renderRunName } from '../protocol/dispatch.ts'
import { renderPages } from '../reports/pages.ts'
import type { Snapshot } from '../store/state-store.ts'
import { Transcripts } from '../store/transcripts.ts'
import { findObstacles } from './campaign-start.ts'
import { inputsOf, JobRuns } from './job-runs.ts'
import type { RepositoryTools } from './repository-tools.ts'
import type { RunOutcomes } from './run-outcome.ts'
import { RunWatch } from './run-watch.ts'

/** What people see of a campaign; each may be asked for twice. */
export interface CampaignDesk {
  writeCheck(snapshot: Snapshot, ordinal: number, story: { plan?: string | undefined }): Promise<void>
  openPull(snapshot: Snapshot, effect: Effect & { type: 'open-pull' }): Promise<CampaignEvent>
  closePull(snapshot: Snapshot, effect: Effect & { type: 'close-pull' }): Promise<void>
  report(snapshot: Snapshot): Promise<void>
  /** Boxes that were ticked and obeyed: the next report writes them anew. */
  touched(markers: readonly string[]): void
}

/** Drives one campaign of a repository: its runs, its steps, and what people see of them. */
export class CampaignDriver {
  readonly #tools: RepositoryTools
  readonly #desk: CampaignDesk
  readonly #outcomes: RunOutcomes
  readonly #runs: JobRuns
  readonly #watch: RunWatch
  readonly #plans = new Map<number, string>()
  readonly #transcripts = new Transcripts()
  /** Events that the next step takes along; none of them is lost for good when this process dies. */
  #pending: CampaignEvent[] = []
  #isScheduled = false
  #isNews = false
  #reportedAt = Number.NEGATIVE_INFINITY
  #loop: CampaignLoop

  constructor(tools: RepositoryTools, desk: CampaignDesk, outcomes: RunOutcomes, snapshot: Snapshot) {
    this.#tools = tools
    this.#desk = desk
    this.#outcomes = outcomes
    this.#runs = new JobRuns(tools)
    this.#watch = new RunWatch(tools, this.#runs)
    this.#loop = CampaignLoop.open(this.#host(), snapshot)
  }

  get snapshot(): Snapshot {
    return this.#loop.snapshot
  }

  #host(): Host {
    const { store, clock } = this.#tools
    return {
      store,
      renderPages: (state) => new Map([...renderPages(state), ...this.#transcripts.render()]),
      now: () => new Date(clock.now()),
      jitter: () => clock.jitter(),
      perform: (effect, snapshot) => this.#perform(effect, snapshot),
    }
  }

  /** Another process may have carried the campaign on. */
  async reload(): Promise<void> {
    await this.#loop.reload()
  }

  /** Writes the dashboard again, which somebody has ticked. */
  showAgain(markers: readonly string[]): void {
    this.#desk.touched(markers)
    this.#scheduleReport()
  }

  /** Takes in events now, with all that wait. */
  async take(...events: CampaignEvent[]): Promise<void> {
    const all = [...this.#pending.splice(0), ...events]
    await this.#loop.step(all)
    this.#transcripts.committed()
    await this.#start()
    if (this.#isNews) this.#scheduleReport()
  }

  /** Takes in what waits for the next step: whoever asks now shall see it. */
  async takeWaiting(): Promise<void> {
    if (this.#pending.length > 0) await this.take()
  }

  /** Takes over another config, with all that waits. */
  async reconfigure(change: ConfigChange): Promise<void> {
    await this.#loop.step(this.#pending.splice(0), change)
    await this.#start()
    if (this.#isNews) this.#scheduleReport()
  }

  /** A run of this campaign ended: its place is taken by the next job at once, its result goes into the next step. */
  async completed(run: RunFacts): Promise<void> {
    const job = this.#jobOf(run)
    if (job === undefined) return
    // Anybody who may write can start a run of the same name: it says nothing about ours.
    const isForged =
      !this.#watch.isOurs(job, run.id) && this.#outcomes.trust(this.snapshot, run).status === 'distrusted'
    if (isForged) {
      this.#tools.log('warn', 'a run that we did not start is ignored', { run: run.id })
      return
    }
    const { result, plan, transcript } = await this.#outcomes.read(this.snapshot, job, run)
    this.#runs.forget(job.ordinal)
    if (plan !== undefined) this.#plans.set(job.ordinal, plan)
    this.#transcripts.add(job.ordinal, transcript)
    this.#pending.push({ type: 'finished', ordinal: job.ordinal, attempt: job.attempt, result })
    await this.#start()
    this.#schedule()
  }

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
    const isTrusted = (run: RunFacts): boolean =>
      this.#outcomes.trust(this.snapshot, run).status === 'trusted'
    for (const followed of await this.#watch.follow(this.snapshot, open, isTrusted)) {
      if (followed.status === 'ended') await this.completed(followed.run)
      else events.push(followed.event)
    }
    if (events.length > 1 || this.#pending.length > 0 || this.#isDue()) await this.take(...events)
    else await this.#start()
  }

  // While runs are under way and nothing is owed, a step would only write down that time has passed.
  #isDue(): boolean {
    const { campaign, jobs } = this.snapshot.state
    const { clock, settings } = this.#tools
    const restMs = clock.now() - Date.parse(campaign.lastTickAt ?? '1970-01-01')
    return jobs.size === 0 || campaign.control.unchecked.length > 0 || restMs >= settings.surveyMs
  }

  async #perform(effect: Effect, snapshot: Snapshot): Promise<void> {
    try {
      await this.#attempt(effect, snapshot)
    } catch (error) {
      // The state still owes it: the next tick asks again.
      this.#tools.log('warn', `${effect.type} failed`, { campaign: snapshot.state.campaign.id, error })
    }
  }

  async #attempt(effect: Effect, snapshot: Snapshot): Promise<void> {
    switch (effect.type) {
      case 'dispatch':
        return this.#runs.enqueue(effect.job)
      case 'cancel':
        await cancelRun(this.#tools.api, effect.run)
        return
      case 'check':
        await this.#desk.writeCheck(snapshot, effect.ordinal, { plan: this.#plans.get(effect.ordinal) })
        this.#plans.delete(effect.ordinal)
        this.#pending.push({ type: 'checked', ordinal: effect.ordinal })
        return
      case 'open-pull':
        this.#pending.push(await this.#desk.openPull(snapshot, effect))
        return this.#schedule()
      case 'close-pull':
        return await this.#desk.closePull(snapshot, effect)
      case 'report':
        this.#isNews = true
        return
      case 'publish-elites':
        // The store moves elite refs together with the state.
        return
    }
  }

  async #start(): Promise<void> {
    try {
      const events = await this.#runs.pump(this.snapshot)
      for (const event of events)
        this.#pending.push(
          event.type === 'hold' ? { ...event, detail: await this.#explain(event.detail) } : event,
        )
      if (events.some(({ type }) => type === 'hold')) this.#schedule()
    } catch (error) {
      this.#tools.log('warn', 'dispatch failed', { campaign: this.snapshot.state.campaign.id, error })
    }
  }

  // GitHub's refusal seldom says what to do about it; a look at what is known to get in the way does.
  async #explain(refusal: string): Promise<string> {
    const { state, config } = this.snapshot
    const obstacles = await findObstacles(this.#tools, state.campaign.id, config)
    return obstacles.length === 0 ? refusal : obstacles.join(' ')
  }

  // Steps are gathered: results that come together are one commit.
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    const { least, most } = this.#tools.settings.statePace.gatherMs
    this.#tools.later(least + (most - least) * this.#tools.clock.jitter(), async () => {
      this.#isScheduled = false
      await this.take()
    })
  }

  #scheduleReport(): void {
    const { clock, settings } = this.#tools
    const wait = Math.max(0, this.#reportedAt + settings.reportMs - clock.now())
    this.#isNews = false
    this.#reportedAt = clock.now() + wait
    this.#tools.later(wait, () => this.#desk.report(this.snapshot))
  }
}
