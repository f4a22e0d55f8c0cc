import type { CommandableLimit } from '../../core/budget/budget.ts'
import type { CampaignEvent } from '../../core/campaign/events.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { findPull } from '../../core/campaign/pulls.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { findFailure } from '../../core/measuring/verdict.ts'
import { pinRunner } from '../../github/runs/runner-branch.ts'
import { HELP, replyEnded, replyExplain, replyStatus } from '../../reports/issues/command-replies.ts'
import { inlineText } from '../../reports/plain-markdown.ts'
import type { Snapshot } from '../../store/state-store.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import { findSummary, readEntries } from '../campaign/candidate-summary.ts'
import type { ConfigWatch } from '../config/config-watch.ts'
import type { ApiPort, StatePort } from '../ports.ts'
import type { PullRequests } from '../pulls/pull-requests.ts'
import type { BudgetName, Command } from './command-syntax.ts'
import { done, type Reply, refused } from './reply.ts'

type SteeringPorts = ApiPort & StatePort

/** Carries out commands for an existing campaign. The caller has checked that the sender has write access. */
export class Steering {
  readonly #ports: SteeringPorts
  readonly #pulls: PullRequests
  readonly #config: ConfigWatch

  constructor(ports: SteeringPorts, pulls: PullRequests, config: ConfigWatch) {
    this.#ports = ports
    this.#pulls = pulls
    this.#config = config
  }

  async obey(driver: CampaignDriver, command: Command, by: string): Promise<Reply> {
    await driver.takeWaiting()
    switch (command.name) {
      case 'help':
        return done(HELP)
      case 'status':
        return done(replyStatus(driver.snapshot.state))
      case 'start':
      case 'resume':
        return await this.#resume(driver, command.at)
      case 'pause':
      case 'stop':
        return await this.#hold(driver, command.name, by)
      case 'retry-failed':
        return await this.#retryFailed(driver)
      case 'ci':
        return await this.#releaseCi(driver, command.pull)
      case 'budget':
        return await this.#setBudget(driver, command.what, command.amount)
      default:
        return await this.#onCandidate(driver, command, by)
    }
  }

  async #resume(driver: CampaignDriver, askedAt: string | undefined): Promise<Reply> {
    this.#ports.store.retryRefused()
    // A finished campaign takes a new config only when somebody wants to continue it.
    if (canBeRenewed(driver.snapshot)) await this.#config.renew(driver)
    const { campaign } = driver.snapshot.state
    // Runs on another commit would not be trusted.
    const pinned = campaign.status.phase === 'paused' ? await pinRunner(this.#ports, campaign) : undefined
    if (pinned?.status === 'refused') return refused(pinned.message)
    const { limits } = driver.snapshot.config
    await driver.take({ type: 'resumed', limits, acceptNoise: true, askedAt })
    const { state } = driver.snapshot
    const { status, stopping } = state.campaign
    const end = status.phase === 'finished' ? status.reason : stopping
    return end === undefined ? done(replyStatus(state)) : refused(replyEnded(state, end))
  }

  async #hold(driver: CampaignDriver, command: 'pause' | 'stop', by: string): Promise<Reply> {
    const { state } = driver.snapshot
    if (state.campaign.status.phase === 'finished') return refused(replyStatus(state))
    return await this.#take(driver, { type: 'command', command, detail: `by ${by}` })
  }

  async #take(driver: CampaignDriver, ...events: CampaignEvent[]): Promise<Reply> {
    await driver.take(...events)
    return done(replyStatus(driver.snapshot.state))
  }

  async #onCandidate(
    driver: CampaignDriver,
    { name, ordinal }: Extract<Command, { ordinal: number }>,
    by: string,
  ): Promise<Reply> {
    const { snapshot } = driver
    const id = candidateId(snapshot.state.campaign.id, ordinal)
    const summary = await findSummary(this.#ports.store, snapshot, ordinal)
    if (summary === undefined || ordinal === 0) return refused(`There is no finished candidate ${id}.`)
    if (name === 'explain') return done(replyExplain(snapshot.state, summary))
    if (name === 'retry') return await this.#retry(driver, summary.entry)
    const { commit, tree } = summary.entry
    if (name === 'discard') {
      await driver.take({ type: 'discard', ordinal })
      return done(`${id} is discarded: it will not be offered or built on again.`)
    }
    if (commit === undefined || tree === undefined)
      return refused(`${id} was not measured: there is nothing to promote.`)
    const known = findPull(snapshot.state, ordinal)
    if (known?.status === 'open' || known?.status === 'merged')
      return refused(`${id} is already pull request #${known.number}, which is ${known.status}.`)
    await driver.take({ type: 'promote', candidate: { ordinal, commit, tree }, by })
    const pull = findPull(driver.snapshot.state, ordinal)
    return pull?.status === 'refused'
      ? refused(`${id} cannot be promoted: ${inlineText(pull.detail ?? '', 300)}.`)
      : done(`${id} is being confirmed; a draft pull request follows if it holds up.`)
  }

  async #retry(driver: CampaignDriver, entry: LedgerEntry): Promise<Reply> {
    const { commit, tree, ordinal } = entry
    const id = candidateId(driver.snapshot.state.campaign.id, ordinal)
    if (commit !== undefined && tree !== undefined) {
      await driver.take({ type: 'measure-again', candidate: { ordinal, commit, tree } })
      return isMeasuredAgain(driver.snapshot, ordinal)
        ? done(`${id} is measured again.`)
        : refused(`No budget is left to measure ${id} again.`)
    }
    const event = planAgain(entry, await readEntries(this.#ports.store, driver.snapshot))
    if (event === undefined) return refused(`The parent of ${id} is gone.`)
    const before = driver.snapshot.state.campaign.nextOrdinal
    await driver.take(event)
    return driver.snapshot.state.campaign.nextOrdinal > before
      ? done(`${id} is tried again as a new candidate.`)
      : refused(`No budget is left to try ${id} again, or none for today.`)
  }

  async #retryFailed(driver: CampaignDriver): Promise<Reply> {
    const { ledger } = driver.snapshot.state
    const failed = ledger.tail.filter(({ verdict }) => findFailure(verdict) === 'infrastructure').slice(-8)
    const entries = await readEntries(this.#ports.store, driver.snapshot)
    const events = failed.flatMap((entry) => planAgain(entry, entries) ?? [])
    return await this.#take(driver, { type: 'resumed', limits: driver.snapshot.config.limits }, ...events)
  }

  async #releaseCi(driver: CampaignDriver, number: number | undefined): Promise<Reply> {
    const open = driver.snapshot.state.campaign.control.pulls.filter(({ status }) => status === 'open')
    const pull =
      number === undefined && open.length === 1 ? open[0] : open.find((each) => each.number === number)
    if (pull === undefined)
      return refused(
        'That is not an open pull request of this campaign. Name one, such as `/loreley ci #12`.',
      )
    const refusal = await this.#pulls.releaseCi(driver.snapshot, pull)
    if (refusal !== undefined) return refused(`CI was not released: ${inlineText(refusal, 300)}.`)
    await driver.take({ type: 'ci-released', ordinal: pull.candidate.ordinal })
    return done(`CI runs on #${pull.number} from now on.`)
  }

  async #setBudget(driver: CampaignDriver, what: BudgetName, amount: number): Promise<Reply> {
    const limit = LIMIT_OF[what]
    const most = limit === 'parallel' ? Math.min(amount, MOST_PARALLEL) : amount
    const events: CampaignEvent[] = [{ type: 'budget', limit, amount: most }]
    const { config, state } = driver.snapshot
    // Continue a campaign that ended for lack of this budget. One that people paused stays paused.
    if (state.campaign.status.phase === 'finished')
      events.push({ type: 'resumed', limits: { ...config.limits, [limit]: most } })
    return await this.#take(driver, ...events)
  }
}

const MOST_PARALLEL = 64

const LIMIT_OF: Readonly<Record<BudgetName, CommandableLimit>> = {
  candidates: 'candidates',
  dollars: 'dollars',
  tokens: 'tokens',
  runner_minutes: 'runnerMinutes',
  parallel: 'parallel',
}

// A campaign that reached its target or was stopped stays finished: another config would only measure it again.
function canBeRenewed({ state }: Snapshot): boolean {
  const { status } = state.campaign
  return status.phase === 'finished' && (status.reason.startsWith('budget-') || status.reason === 'dry-run')
}

function isMeasuredAgain({ state }: Snapshot, ordinal: number): boolean {
  return [...state.jobs.values()].some((job) => job.kind === 'confirm' && job.parent.ordinal === ordinal)
}

function planAgain(
  { operator, lens, island, parent, inspirations }: LedgerEntry,
  entries: ReadonlyMap<number, LedgerEntry>,
): CampaignEvent | undefined {
  const refOf = (ordinal: number) => {
    const { commit, tree } = entries.get(ordinal) ?? {}
    return commit === undefined || tree === undefined ? undefined : { ordinal, commit, tree }
  }
  const base = refOf(parent)
  if (base === undefined) return undefined
  const others = inspirations.flatMap((ordinal) => refOf(ordinal) ?? [])
  return { type: 'plan-again', plan: { operator, lens, island, parent: base, inspirations: others } }
}
