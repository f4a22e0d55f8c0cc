import { createAgent } from '../src/agents/registry.ts'
import type { Job } from '../src/core/campaign/job.ts'
import { rngFor } from '../src/core/rng.ts'
import { createGitEnvironment } from '../src/git/command.ts'
import type { Clock } from '../src/github/api/clock.ts'
import { localFolders } from '../src/local/local-folders.ts'
import { createLocalHost, type LocalHost } from '../src/local/local-host.ts'
import { jobFolder } from '../src/pipeline/job-context.ts'
import { isDescribed, measureTree } from '../src/pipeline/measuring/measure-tree.ts'
import { packProposal } from '../src/pipeline/proposal-files.ts'
import { proposeCandidate } from '../src/pipeline/proposing/propose-candidate.ts'
import { type DispatchInputs, findCandidate, renderRunName } from '../src/protocol/dispatch.ts'
import type { ProposalDocument } from '../src/protocol/proposal.ts'
import type { ResultDocument } from '../src/protocol/result.ts'
import type { Run } from '../src/sandbox/actions/documents.ts'
import type { Runner } from '../src/sandbox/actions/runner.ts'
import type { RunningBox } from '../src/sandbox/server.ts'
import { type OpenGit, openGit } from '../src/store/open-git.ts'
import type { Snapshot } from '../src/store/state-store.ts'
import { Transcripts } from '../src/store/transcripts.ts'
import { aProposal, aResultDocument } from '../test/support/artifacts.ts'
import { endRun, upload } from './run-end.ts'

export interface OfflineRunnerOptions {
  readonly box: RunningBox
  readonly clock: Clock
  /** How long a run takes on the clock, whatever it takes here. */
  readonly minutes: { readonly least: number; readonly most: number }
  readonly cacheFolder: string
  readonly path: string
}

/** What a run leaves. */
interface Outcome {
  readonly proposal?: ProposalDocument['outcome'] | undefined
  readonly result: ResultDocument['outcome']
  readonly baseTree?: string
}

interface Campaign {
  readonly git: OpenGit
  readonly tools: LocalHost
  snapshot: Snapshot
}

const MINUTE_MS = 60_000

/**
 * Does what the action does, without its processes: the real offline agent proposes, the real evaluator measures, and
 * the run ends with real artifacts when its time is up on the clock.
 */
export class OfflineRunner implements Runner {
  readonly #options: OfflineRunnerOptions
  readonly #stop = new AbortController()
  #campaign: Promise<Campaign> | undefined
  #last: Promise<unknown> = Promise.resolve()
  /** Runs that are being worked on right now. */
  working = 0

  constructor(options: OfflineRunnerOptions) {
    this.#options = options
  }

  async title(run: Run): Promise<string | undefined> {
    return renderRunName(parseInputs(run))
  }

  start(run: Run): void {
    this.working += 1
    // One after the other: two cores have enough to do.
    this.#last = this.#last
      .then(() => this.#work(run))
      .finally(() => {
        this.working -= 1
      })
  }

  cancel(run: Run): void {
    void endRun(this.#options.box, run, { name: 'propose', conclusion: 'cancelled' })
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await (await this.#campaign)?.git.close()
  }

  async #work(run: Run): Promise<void> {
    const { clock, minutes } = this.#options
    const inputs = parseInputs(run)
    const ordinal = findCandidate(inputs.candidate)?.ordinal ?? 0
    const outcome = await this.#run(run, inputs, ordinal)
    const spread = rngFor(1, ordinal, 'duration').unit()
    clock.after((minutes.least + (minutes.most - minutes.least) * spread) * MINUTE_MS, () => {
      this.working += 1
      void this.#end(run, inputs, outcome).finally(() => {
        this.working -= 1
      })
    })
  }

  async #run(run: Run, inputs: DispatchInputs, ordinal: number): Promise<Outcome> {
    const campaign = await this.#open(run, inputs)
    const { git, tools } = campaign
    const { campaign: id } = findCandidate(inputs.candidate) ?? { campaign: '' }
    campaign.snapshot = (await git.store.load(id)) ?? campaign.snapshot
    const job = campaign.snapshot.state.jobs.get(ordinal)
    if (job === undefined) throw new Error(`the state has no job ${ordinal}`)
    return job.kind === 'candidate'
      ? await this.#propose(tools, job)
      : await this.#measure(tools, job, job.parent.tree)
  }

  async #open(run: Run, inputs: DispatchInputs): Promise<Campaign> {
    this.#campaign ??= this.#openOnce(run, findCandidate(inputs.candidate)?.campaign ?? '')
    return await this.#campaign
  }

  async #openOnce(run: Run, id: string): Promise<Campaign> {
    const { box, cacheFolder, path } = this.#options
    const folder = (await box.box.git.get(run.repositoryId)).repository.commonDir
    const git = await openGit(folder, createGitEnvironment(process.env))
    const snapshot = await git.store.load(id)
    if (snapshot === undefined) throw new Error(`the state has no campaign ${id}`)
    const { config, state } = snapshot
    const order = {
      git,
      config,
      agent: createAgent(config.agent, { path, environment: {} }),
      folders: localFolders(git.repository, cacheFolder, id),
      parallel: 1,
      path,
      home: cacheFolder,
      passedEnvironment: {},
      signal: this.#stop.signal,
      reporter: { started: () => undefined, finished: () => undefined, warned: () => undefined },
    }
    const opened: { campaign?: Campaign } = {}
    const current = (): Snapshot => opened.campaign?.snapshot ?? snapshot
    const tools = await createLocalHost(order, state.campaign.root, {
      current,
      transcripts: new Transcripts(),
    })
    opened.campaign = { git, tools, snapshot }
    return opened.campaign
  }

  async #propose(tools: LocalHost, job: Job): Promise<Outcome> {
    const { context, git } = tools
    const made = await proposeCandidate(context, job, tools, this.#stop.signal)
    if (made.status === 'aborted') throw new Error('aborted')
    if (made.status === 'duplicate') return { result: { status: 'duplicate', tree: made.tree } }
    if (made.status === 'failed')
      return { result: { status: 'failed', reason: made.reason, detail: made.detail } }
    const { commit, tree: baseTree } = job.parent
    const { outcome: proposal } = await packProposal(git, { commit, tree: baseTree }, made)
    const { result } = await this.#measure(tools, job, made.tree)
    return { proposal, result, baseTree }
  }

  async #measure(tools: LocalHost, job: Job, tree: string): Promise<Outcome> {
    const request = {
      folder: jobFolder(tools.context, job),
      tree,
      base: job.parent.tree,
      describes: isDescribed(job),
      rival: job.rival?.tree,
      plan: () => tools.plan(job),
    }
    const measured = await measureTree(tools.context, request, (order) =>
      tools.measure(job, order, this.#stop.signal),
    )
    if (measured.status === 'aborted') throw new Error('aborted')
    return { result: measured.outcome }
  }

  async #end(run: Run, inputs: DispatchInputs, { proposal, result, baseTree }: Outcome): Promise<void> {
    const { box } = this.#options
    const { kind, candidate, nonce, base } = inputs
    const facts = { kind, candidate, nonce, attempt: 1 }
    let job = 'evaluate'
    if (proposal?.status === 'proposed') {
      const document = {
        ...aProposal([]),
        ...facts,
        base: { commit: base, tree: baseTree },
        outcome: proposal,
      }
      job = `evaluate ${upload(box, run, { name: 'proposal', content: document })}.${proposal.tree}`
    }
    upload(box, run, {
      name: 'result',
      content: { ...aResultDocument(), ...facts, outcome: result, evaluatorDigest: undefined },
    })
    await endRun(box, run, { name: job, conclusion: 'success' })
  }
}

function parseInputs(run: Run): DispatchInputs {
  return run.payload.inputs as DispatchInputs
}
