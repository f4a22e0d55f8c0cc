import { execFileSync } from 'node:child_process'
import { NO_USAGE, type Usage } from '../../src/core/budget/budget.ts'
import { rngFor } from '../../src/core/rng.ts'
import type { Embedding } from '../../src/core/space/embedding.ts'
import { findCandidate, renderRunName } from '../../src/protocol/dispatch.ts'
import { addArtifact, removeArtifact } from '../../src/sandbox/actions/artifacts/artifacts.ts'
import { jobs, type Run, type Step } from '../../src/sandbox/actions/documents.ts'
import type { Runner } from '../../src/sandbox/actions/runner.ts'
import { completeJob, queueJob, startJob, updateSteps } from '../../src/sandbox/actions/runs/jobs.ts'
import { completeRun, refuseRun } from '../../src/sandbox/actions/runs/runs.ts'
import { writeZip } from '../../src/sandbox/actions/runs/zip.ts'
import { annotations } from '../../src/sandbox/checks/checks.ts'
import { isoTime } from '../../src/sandbox/format.ts'
import type { RunningBox } from '../../src/sandbox/server.ts'
import { campaignFolder, jobPath } from '../../src/store/layout.ts'
import { aChangedFile, aProposal, aResultDocument, bytesOf } from '../support/artifacts.ts'

interface Inputs {
  readonly kind: 'candidate' | 'baseline' | 'confirm'
  readonly candidate: string
  readonly state: string
  readonly base: string
  readonly nonce: string
}

type Instead = 'vanish' | 'fail' | 'starve' | 'refuse' | WorkedInstead
/** After its proposal: ends without a result, is cancelled, or puts another proposal in the place of its own. */
type WorkedInstead = 'break-gate' | 'lose-result' | 'be-cancelled' | 'swap-proposal'

/** Ends every run at once with the artifacts that the action would leave: a candidate raises the number in src/a.txt. */
export class FakeRunner implements Runner {
  readonly #box: RunningBox
  readonly #work = new Set<Promise<void>>()
  readonly started: Run[] = []
  /** Runs are kept waiting while it is true. */
  held = false
  /** A run that is kept waiting has not got a machine yet. If it is cancelled, it did nothing. */
  isQueueing = false
  /** They are kept waiting after so many were begun. */
  holdAfter = Number.POSITIVE_INFINITY
  /** What every score is multiplied with, as by another evaluator. */
  scale = 1
  /** What every job asks for. */
  label = 'ubuntu-latest'
  /** What every run says it cost. */
  usage: Usage = { tokens: 0, dollars: 0, runnerMs: 5 }
  /** How long the job of a run that fails or is cancelled has run. */
  failingMs = 0
  /** What every proposal says its model cost. */
  modelUsage: Usage = { tokens: 0, dollars: 0, runnerMs: 5 }
  /** What a candidate is described by; the same for all unless a test says so. */
  embeddingOf: ((ordinal: number) => Embedding) | undefined
  /** What a run says its agent failed with; undefined lets it do its work. */
  failure: ((kind: Inputs['kind']) => string | undefined) | undefined
  #held: Run[] = []
  /** What a run does instead of its work; undefined lets it do its work. */
  instead: ((run: Run) => Instead | undefined) | undefined

  constructor(box: RunningBox) {
    this.#box = box
  }

  get isIdle(): boolean {
    return this.#work.size === 0
  }

  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work)
  }

  async close(): Promise<void> {
    this.held = true
    await this.idle()
  }

  /** How many runs are kept waiting. */
  get waiting(): number {
    return this.#held.length
  }

  get heldRuns(): readonly Run[] {
    return this.#held
  }

  release(): void {
    this.held = false
    this.holdAfter = Number.POSITIVE_INFINITY
    for (const run of this.#held.splice(0)) this.start(run)
  }

  async title(run: Run): Promise<string | undefined> {
    const inputs = inputsOf(run)
    return renderRunName({ ...inputs, state: '', root: '' } as Parameters<typeof renderRunName>[0])
  }

  start(run: Run): void {
    if (this.held || this.started.length >= this.holdAfter) {
      this.#held.push(run)
      return
    }
    this.started.push(run)
    const instead = this.instead?.(run)
    if (instead === 'vanish') return
    this.#track(this.#perform(run, instead))
  }

  #perform(run: Run, instead: Exclude<Instead, 'vanish'> | undefined): Promise<void> {
    switch (instead) {
      case 'fail':
        return this.#end(run, 'propose', 'failure')
      case 'starve':
        // As without minutes: the job ends before its first step.
        return this.#end(run, 'propose', 'failure', [])
      case 'refuse':
        return refuseRun(this.#box.box, run.id, ['an action is not allowed'])
      default:
        return this.#run(run, instead)
    }
  }

  cancel(run: Run): void {
    const isIdle = this.isQueueing && this.#held.some(({ id }) => id === run.id)
    this.drop(run.id)
    this.#track(this.#end(run, 'propose', 'cancelled', isIdle ? [] : undefined))
  }

  /** Forgets a run that is kept waiting. */
  drop(run: number): void {
    this.#held = this.#held.filter(({ id }) => id !== run)
  }

  #track(work: Promise<void>): void {
    this.#work.add(work)
    void work.finally(() => this.#work.delete(work))
  }

  async #run(run: Run, instead: WorkedInstead | undefined): Promise<void> {
    const { kind, candidate, state, base, nonce } = inputsOf(run)
    const folder = (await this.#box.box.git.get(run.repositoryId)).repository.commonDir
    const git = (args: readonly string[], input = ''): string =>
      execFileSync('git', ['-C', folder, ...args], { input, encoding: 'utf8' }).trim()
    const { campaign = '', ordinal = 0 } = findCandidate(candidate) ?? {}
    const job = JSON.parse(git(['show', `${state}:${campaignFolder(campaign)}/${jobPath(ordinal)}`]))
    const facts = { kind, candidate, attempt: Number(job.attempt), nonce }
    const before = Number(git(['show', `${base}:src/a.txt`]))
    const baseTree = git(['rev-parse', `${base}^{tree}`])
    let name = 'evaluate'
    let tree = baseTree
    let number = before
    if (kind === 'candidate') {
      number = before + 1 + rngFor(1, ordinal, 'score').int(5) + ordinal / 1000
      const file = aChangedFile('src/a.txt', `${number}\n`)
      tree = this.#treeWith(git, base, `${number}\n`)
      const old = { mode: '100644' as const, blob: git(['rev-parse', `${base}:src/a.txt`]) }
      const proposal = aProposal([{ ...file, before: old }], this.embeddingOf?.(ordinal))
      const said = { transcript: `About ${candidate}.`, usage: this.modelUsage }
      const outcome = { ...proposal.outcome, tree, ...said }
      const document = { ...proposal, ...facts, base: { commit: base, tree: baseTree }, outcome }
      const id = this.#upload(run, 'proposal', document)
      name = `evaluate ${id}.${tree}`
      if (instead === 'swap-proposal') {
        removeArtifact(this.#box.box, id)
        this.#upload(run, 'proposal', { ...document, outcome: { ...outcome, usage: NO_USAGE } })
      }
      if (instead === 'be-cancelled') return await this.#end(run, name, 'cancelled')
      if (instead === 'lose-result' || instead === 'swap-proposal')
        return await this.#end(run, name, 'failure')
    }
    const metrics = { score: number * this.scale, x: (ordinal % 3) / 3, y: 0.5 }
    // The root is measured twice, with the same result: its numbers do not vary.
    const sample = { subject: 'candidate' as const, stage: 'full' as const, metrics }
    const samples = kind === 'baseline' ? [sample, sample] : [sample]
    const detail = this.failure?.(kind)
    const failure =
      detail === undefined
        ? ({ status: 'failed', reason: 'gate-failed', detail: 'exit code 1', tree } as const)
        : ({ status: 'failed', reason: 'agent-failed', detail } as const)
    const outcome =
      instead === 'break-gate' || detail !== undefined
        ? failure
        : ({ status: 'measured', tree, metrics, samples, ...this.#describe(kind, job) } as const)
    this.#upload(run, 'result', { ...aResultDocument(), ...facts, outcome, usage: this.usage })
    await this.#end(run, name, 'success')
  }

  // As the action does: the root always, an elite when it is to be described again.
  #describe(kind: Inputs['kind'], job: { readonly parent: { ordinal: number }; readonly describes?: true }) {
    const isDescribed = kind === 'baseline' || (kind === 'confirm' && job.describes === true)
    const embedding = isDescribed ? this.embeddingOf?.(job.parent.ordinal) : undefined
    return embedding && { embedding }
  }

  #treeWith(git: (args: readonly string[], input?: string) => string, base: string, content: string): string {
    const blob = git(['hash-object', '-w', '--stdin'], content)
    const src = git(['ls-tree', `${base}:src`]).replace(/[0-9a-f]{40}(?=\ta\.txt)/, blob)
    const folder = git(['mktree'], `${src}\n`)
    const top = git(['ls-tree', base]).replace(/[0-9a-f]{40}(?=\tsrc$)/m, folder)
    return git(['mktree'], `${top}\n`)
  }

  #upload(run: Run, name: string, content: unknown): number {
    const zip = writeZip([{ name: `${name}.json`, content: bytesOf(content) }])
    const added = addArtifact(this.#box.box, { runId: run.id, name, content: zip })
    if (added.status !== 'added') throw new Error(added.status)
    return added.artifact.id
  }

  async #end(
    run: Run,
    name: string,
    conclusion: 'success' | 'failure' | 'cancelled',
    steps: readonly Step[] = [aStep(conclusion)],
  ): Promise<void> {
    const { box } = this.#box
    const job = await queueJob(box, run, { name, labels: [this.label] })
    await startJob(box, job.id, 'test')
    updateSteps(box, job.id, steps)
    if (conclusion === 'failure') {
      annotations(box.store).put(job.id, [FAILURE_NOTE])
    }
    if (conclusion !== 'success') {
      const startedAt = isoTime(new Date(box.now().getTime() - this.failingMs))
      jobs(box.store).put(job.id, { ...(jobs(box.store).find(job.id) ?? job), startedAt })
    }
    await completeJob(box, job.id, conclusion)
    await completeRun(box, run.id)
  }
}

function aStep(conclusion: Step['conclusion']): Step {
  const at = '2026-01-01T00:00:00Z'
  return { name: 'Run loreley', status: 'completed', conclusion, number: 1, startedAt: at, completedAt: at }
}

/** What a failing run notes on its job. */
const FAILURE_NOTE = {
  path: '.github',
  startLine: 1,
  endLine: 1,
  startColumn: null,
  endColumn: null,
  level: 'failure',
  title: null,
  message: 'npm ERR! the disk is full',
  rawDetails: null,
}

function inputsOf(run: Run): Inputs {
  return { kind: 'candidate', candidate: '', state: '', base: '', nonce: '', ...Object(run.payload.inputs) }
}
