import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CampaignConfig, EvaluationConfig } from '../../config/campaign-config.ts'
import type { Sample, Stage } from '../../core/measuring/measurement.ts'
import type { MeasurementPlan } from '../../core/measuring/measurement-plan.ts'
import { areEqual } from '../../core/measuring/noise.ts'
import type { FileToWrite } from '../../git/checkout.ts'
import type { PathChange } from '../../git/listing.ts'
import { findDifferences } from '../../git/staging.ts'
import { removeFolder } from '../../process/disk/remove-folder.ts'
import type { JobContext } from '../job-context.ts'
import { findUnwritten } from '../workspace/layered-files.ts'
import { differsFromTree, findSharedRoot } from '../workspace/shared-root.ts'
import { copyFolder, createWorkspace, type Workspace } from '../workspace/workspace.ts'
import {
  type EvaluationOutcome,
  type EvaluationRequest,
  type GatesOutcome,
  type MeasuringCommand,
  measureOnce,
  passGates,
} from './evaluate.ts'
import { RunLogs } from './run-logs.ts'

/** What to measure, and how. */
export interface MeasurementRequest {
  /** The job's own folder. */
  readonly folder: string
  /** The tree to measure, and the tree it was made from. They are equal if it was measured before. */
  readonly tree: string
  readonly base: string
  /** The candidate's difference from the campaign's root; empty for the root itself. */
  readonly changes: readonly PathChange[]
  /** In a duel: the rival's difference from the root. */
  readonly rivalChanges?: readonly PathChange[] | undefined
  readonly plan: MeasurementPlan
}

/** Why a job ends before it is measured. */
export type Stop = Exclude<EvaluationOutcome, { status: 'measured' }>

/** Runs commands in fresh workspaces and collects their measurements. */
export class MeasuringRuns {
  readonly samples: Sample[] = []
  readonly logs: RunLogs
  runnerMs = 0
  readonly #context: JobContext
  readonly #request: MeasurementRequest
  readonly #signal: AbortSignal
  #isTree = false

  constructor(context: JobContext, request: MeasurementRequest, signal: AbortSignal) {
    this.#context = context
    this.#request = request
    this.#signal = signal
    this.logs = new RunLogs(Object.values(context.passedEnvironment))
  }

  /** Gates run in their own workspace: leftovers of a candidate's tests must not affect its measurement. */
  async gates(): Promise<Stop | undefined> {
    if (this.#context.config.evaluation.gates.length === 0) return undefined
    const outcome: GatesOutcome = await this.#inWorkspace('candidate', 'gates', passGates)
    if (outcome.status !== 'aborted') this.runnerMs += outcome.runnerMs
    return outcome.status === 'passed' ? undefined : outcome
  }

  /**
   * Rejects candidates that are far worse than the root, at little cost. A tree that was measured before skips this:
   * one outlier must not undo what many pairs have shown.
   */
  async quick(): Promise<Stop | undefined> {
    const { plan, tree, base } = this.#request
    const { quick } = this.#context.config.evaluation
    const [primary] = this.#context.config.objectives
    if (quick === undefined || primary === undefined) return undefined
    if (plan.kind === 'baseline')
      return plan.rehearses && nameCommand(await this.run('candidate', 'quick', quick), 'quick')
    if (tree === base) return undefined
    const stop = (await this.run('root', 'quick', quick)) ?? (await this.run('candidate', 'quick', quick))
    if (stop !== undefined) return stop
    const [root = Number.NaN, candidate = Number.NaN] = this.samples
      .filter(({ stage }) => stage === 'quick')
      .map(({ metrics }) => metrics[primary.metric])
    const loss = ((primary.direction === 'maximize' ? 1 : -1) * (root - candidate)) / Math.abs(root)
    if (!(loss > quick.tolerance)) return undefined
    const detail = `${primary.metric}: ${candidate} against the root's ${root}`
    return { status: 'failed', reason: 'quick-refused', detail, runnerMs: 0 }
  }

  /** One run. Returns why the job must stop, if it must. */
  async run(subject: Sample['subject'], stage: Stage, command: MeasuringCommand): Promise<Stop | undefined> {
    const outcome = await this.#measure(subject, stage, command)
    if (outcome.status !== 'measured') return outcome
    this.samples.push({ subject, stage, metrics: outcome.metrics })
    return undefined
  }

  /** One full run that only prepares the next. */
  async lead(subject: Sample['subject'], command: MeasuringCommand): Promise<Stop | undefined> {
    const outcome = await this.#measure(subject, 'full', command)
    return outcome.status === 'measured' ? undefined : outcome
  }

  async #measure(
    subject: Sample['subject'],
    stage: Stage,
    command: MeasuringCommand,
  ): Promise<EvaluationOutcome> {
    const outcome = await this.#inWorkspace(subject, stage, (request) => measureOnce(request, command))
    if (outcome.status === 'aborted') return outcome
    this.runnerMs += outcome.runnerMs
    if (outcome.status === 'measured') return outcome
    // Root and rival worked before: if one fails now, this machine is to blame, not the candidate.
    if (subject !== 'candidate')
      return { ...outcome, reason: 'infrastructure', detail: `the ${subject}: ${outcome.detail}` }
    return outcome
  }

  /**
   * Measures inputs that no agent has seen, interleaved with the root. A gap to the known inputs reveals overfitting.
   */
  async heldOut(): Promise<Stop | undefined> {
    const { plan } = this.#request
    const { heldOut } = this.#context.config.evaluation
    if (heldOut === undefined) return undefined
    if (plan.kind === 'baseline') {
      const stop = plan.rehearses && (await this.run('candidate', 'held-out', heldOut))
      return nameCommand(stop && withoutWords(stop, 'candidate'), 'held_out')
    }
    const { least, most } = plan.heldOut
    for (let pair = 0; pair < most && (pair < least || this.#variesHeldOut()); pair++) {
      const subjects = pair % 2 === 0 ? (['root', 'candidate'] as const) : (['candidate', 'root'] as const)
      for (const subject of subjects) {
        const stop = await this.run(subject, 'held-out', heldOut)
        if (stop !== undefined) return withoutWords(stop, subject)
      }
    }
    return undefined
  }

  #variesHeldOut(): boolean {
    const runs = this.samples.filter(({ stage }) => stage === 'held-out')
    return (['root', 'candidate'] as const).some((subject) => {
      const own = runs.filter((sample) => sample.subject === subject).map(({ metrics }) => metrics)
      return !areEqual(own, this.#context.config.objectives)
    })
  }

  /** Whether the full runs so far gave different values. */
  vary(objectives: CampaignConfig['objectives']): boolean {
    return !areEqual(
      this.samples.filter(({ stage }) => stage === 'full').map(({ metrics }) => metrics),
      objectives,
    )
  }

  #changesOf(subject: Sample['subject']): readonly PathChange[] {
    if (subject === 'candidate') return this.#request.changes
    return subject === 'rival' ? (this.#request.rivalChanges ?? []) : []
  }

  async #inWorkspace<T>(
    subject: Sample['subject'],
    stage: Stage | 'gates',
    work: (request: EvaluationRequest) => Promise<T>,
  ): Promise<T> {
    const { config, preparedRoot, path, passedEnvironment, owner, isolation } = this.#context
    const isHeldOut = stage === 'held-out'
    const workspace = await this.#createWorkspace(subject, isHeldOut)
    const isLent = isHeldOut && preparedRoot.heldOut.paths.length > 0
    const heldOut = isLent ? await this.#lendHeldOut() : undefined
    try {
      if (subject === 'candidate' && !this.#isTree) await this.#assertTree(workspace)
      const trusted = heldOut ?? preparedRoot.trusted
      const signal = this.#signal
      return await work({
        workspace,
        trusted,
        programs: preparedRoot.programs,
        hidden: isLent ? preparedRoot.heldOut.paths : [],
        evaluation: config.evaluation,
        neededMetrics: neededMetricsOf(config),
        path,
        passedEnvironment,
        owner,
        signal,
        isolation,
        // Output about held-out inputs is dropped: it could reach an agent.
        onEnd: isHeldOut
          ? undefined
          : (outcome, gate) => this.logs.add(gate ? `gate ${gate}` : `${stage} ${subject}`, outcome),
      })
    } finally {
      await workspace.remove()
      if (isLent) await removeFolder(this.#lentFolder)
    }
  }

  async #createWorkspace(subject: Sample['subject'], isHeldOut: boolean): Promise<Workspace> {
    const { config, preparedRoot, objects, path, owner, isolation } = this.#context
    // An agent may read what a run prints: only the held-out run gets the held-out inputs.
    const without = isHeldOut ? [] : preparedRoot.heldOut.paths
    // A command writes its files itself. One that the repository or the set-up left must not be in their place.
    const absent = [...outputsOf(config.evaluation), ...without]
    return await createWorkspace({
      folder: join(this.#request.folder, 'evaluation'),
      template: preparedRoot.template,
      shared: await findSharedRoot(preparedRoot, { absent, path, owner, isolation }),
      without,
      maxDiskBytes: config.evaluation.maxDiskBytes,
      changes: this.#changesOf(subject).map(toWrite),
      objects,
      path,
      owner,
      isolation,
    })
  }

  // Once, before the candidate's first process: we must measure exactly what will be published.
  async #assertTree(workspace: Workspace): Promise<void> {
    const path = await this.#findDifference(workspace)
    if (path !== undefined) throw differsFromTree(path)
    this.#isTree = true
  }

  async #findDifference({ files, layer }: Workspace): Promise<string | undefined> {
    const { preparedRoot } = this.#context
    // A shared root was compared with git's when it was made.
    if (layer !== undefined) return await findUnwritten(files, this.#request.changes.map(toWrite))
    const indexFile = join(this.#request.folder, 'tree-index')
    const folder = { files, indexFile, withheld: preparedRoot.heldOut.tracked }
    return (await findDifferences(preparedRoot.area, folder, this.#request.tree))[0]
  }

  // A trusted checkout with the held-out files. In namespaces only this run is shown the template. Elsewhere it is a copy
  // for one run, because other runs could read a lasting one.
  async #lendHeldOut(): Promise<string> {
    const { preparedRoot, path, owner, isolation } = this.#context
    if (isolation?.level === 'namespace') return preparedRoot.template
    const to = this.#lentFolder
    await removeFolder(to)
    await mkdir(to, { recursive: true })
    await copyFolder({ from: preparedRoot.template, to, path, owner })
    return to
  }

  get #lentFolder(): string {
    return join(this.#request.folder, 'held-out')
  }
}

function toWrite({ pathBytes, after }: PathChange): FileToWrite {
  return { pathBytes, version: after }
}

function outputsOf({ output, gates }: EvaluationConfig): string[] {
  return [output.file, ...gates.map(({ expect }) => expect?.junit?.file)].filter((path) => path !== undefined)
}

function neededMetricsOf({ search, objectives }: CampaignConfig): string[] {
  const axes = search.axes.flatMap((axis) => (axis.kind === 'metric' ? [axis.metric] : []))
  return [...objectives.map(({ metric }) => metric), ...axes]
}

// Output about held-out inputs may contain them, and a result is public: it enters the ledger, and agents are told why
// others failed.
function withoutWords(stop: Stop, subject: Sample['subject']): Stop {
  const who = subject === 'candidate' ? 'it' : `the ${subject}`
  const detail = `${who} failed on the held-out inputs; what the command said there is shown to nobody`
  return stop.status === 'failed' ? { ...stop, detail } : stop
}

// Only a rehearsal runs these commands on the root. The maintainer must know which one failed.
function nameCommand(stop: Stop | undefined, command: 'quick' | 'held_out'): Stop | undefined {
  return stop?.status === 'failed' ? { ...stop, detail: `evaluation.${command}: ${stop.detail}` } : stop
}
