import type { LimitsConfig } from '../config/campaign-config.ts'
import type { CampaignEvent, LedgerEntry } from '../core/campaign.ts'
import { candidateId } from '../core/candidate-id.ts'
import { findPull } from '../core/pulls.ts'
import { findFailure } from '../core/verdict.ts'
import { HELP, replyExplain, replyStatus } from '../reports/command-replies.ts'
import type { Snapshot } from '../store/state-store.ts'
import type { CampaignDriver } from './campaign-driver.ts'
import type { BudgetName, Command } from './commands.ts'
import type { PullDesk } from './pull-desk.ts'
import { done, type Reply, refused } from './reply.ts'
import type { RepositoryTools } from './repository-tools.ts'
import { findStory, readEntries } from './stories.ts'

/** Carries out what people ask of a campaign that exists. Whoever asks was found to be allowed to. */
export class SteeringDesk {
  readonly #tools: RepositoryTools
  readonly #pulls: PullDesk

  constructor(tools: RepositoryTools, pulls: PullDesk) {
    this.#tools = tools
    this.#pulls = pulls
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
        return await this.#resume(driver)
      case 'pause':
      case 'stop':
        return await this.#take(driver, { type: 'command', command: command.name, detail: `by ${by}` })
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

  async #resume(driver: CampaignDriver): Promise<Reply> {
    this.#tools.store.retryRefused()
    const { limits } = driver.snapshot.config
    return await this.#take(driver, { type: 'resumed', limits, acceptNoise: true })
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
    const story = await findStory(this.#tools.store, snapshot, ordinal)
    if (story === undefined || ordinal === 0) return refused(`There is no finished candidate ${id}.`)
    if (name === 'explain') return done(replyExplain(snapshot.state, story))
    if (name === 'retry') return await this.#retry(driver, story.entry)
    const { commit, tree } = story.entry
    if (name === 'discard') {
      await driver.take({ type: 'discard', ordinal })
      return done(`${id} is discarded: it is neither offered nor bred from again.`)
    }
    if (commit === undefined || tree === undefined)
      return refused(`${id} was not measured: there is nothing to promote.`)
    await driver.take({ type: 'promote', candidate: { ordinal, commit, tree }, by })
    const pull = findPull(driver.snapshot.state, ordinal)
    return pull?.status === 'refused'
      ? refused(`${id} cannot be promoted: ${pull.detail}.`)
      : done(`${id} is being confirmed; a draft pull request follows when it holds up.`)
  }

  async #retry(driver: CampaignDriver, entry: LedgerEntry): Promise<Reply> {
    const { commit, tree, ordinal } = entry
    const id = candidateId(driver.snapshot.state.campaign.id, ordinal)
    if (commit !== undefined && tree !== undefined) {
      await driver.take({ type: 'measure-again', candidate: { ordinal, commit, tree } })
      return done(`${id} is measured again.`)
    }
    const event = planAgain(entry, await readEntries(this.#tools.store, driver.snapshot))
    if (event === undefined) return refused(`What ${id} was built on is gone.`)
    const before = driver.snapshot.state.campaign.nextOrdinal
    await driver.take(event)
    return driver.snapshot.state.campaign.nextOrdinal > before
      ? done(`${id} is tried again as a new candidate.`)
      : refused(`No budget is left to try ${id} again.`)
  }

  async #retryFailed(driver: CampaignDriver): Promise<Reply> {
    const { ledger } = driver.snapshot.state
    const failed = ledger.tail.filter(({ verdict }) => findFailure(verdict) === 'infrastructure').slice(-8)
    const entries = await readEntries(this.#tools.store, driver.snapshot)
    const events = failed.flatMap((entry) => planAgain(entry, entries) ?? [])
    return await this.#take(driver, { type: 'resumed', limits: driver.snapshot.config.limits }, ...events)
  }

  async #releaseCi(driver: CampaignDriver, number: number | undefined): Promise<Reply> {
    const open = driver.snapshot.state.campaign.control.pulls.filter(({ status }) => status === 'open')
    const pull =
      number === undefined && open.length === 1 ? open[0] : open.find((each) => each.number === number)
    if (pull === undefined)
      return refused('That is no open pull request of this campaign: name one, such as `/loreley ci #12`.')
    const refusal = await this.#pulls.releaseCi(driver.snapshot, pull)
    if (refusal !== undefined) return refused(`CI was not released: ${refusal}.`)
    await driver.take({ type: 'ci-released', ordinal: pull.candidate.ordinal })
    return done(`CI runs on #${pull.number} from now on.`)
  }

  async #setBudget(driver: CampaignDriver, what: BudgetName, amount: number): Promise<Reply> {
    const limits = withBudget(driver.snapshot, what, amount)
    const { phase } = driver.snapshot.state.campaign.status
    // One that ended for want of it goes on; one that people paused stays paused.
    const events: CampaignEvent[] = [{ type: 'limits', limits }]
    if (phase === 'finished') events.push({ type: 'resumed', limits })
    return await this.#take(driver, ...events)
  }
}

const LIMIT_OF: Readonly<Record<BudgetName, keyof LimitsConfig>> = {
  candidates: 'candidates',
  dollars: 'dollars',
  tokens: 'tokens',
  runner_minutes: 'runnerMinutes',
  parallel: 'parallel',
}

function withBudget({ config }: Snapshot, what: BudgetName, amount: number): LimitsConfig {
  const most = what === 'parallel' ? Math.min(amount, 64) : amount
  return { ...config.limits, [LIMIT_OF[what]]: most }
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
