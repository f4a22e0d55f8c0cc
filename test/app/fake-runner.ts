import { execFileSync } from 'node:child_process'
import type { Usage } from '../../src/core/budget.ts'
import { rngFor } from '../../src/core/rng.ts'
import { findCandidate, renderRunName } from '../../src/protocol/dispatch.ts'
import { addArtifact } from '../../src/sandbox/actions/artifacts.ts'
import type { Run, Step } from '../../src/sandbox/actions/documents.ts'
import { completeJob, queueJob, startJob, updateSteps } from '../../src/sandbox/actions/jobs.ts'
import type { Runner } from '../../src/sandbox/actions/runner.ts'
import { completeRun } from '../../src/sandbox/actions/runs.ts'
import { writeZip } from '../../src/sandbox/actions/zip.ts'
import type { RunningBox } from '../../src/sandbox/server.ts'
import { annotations } from '../../src/sandbox/state/checks.ts'
import { aChangedFile, aProposal, aResultDocument, bytesOf } from '../support/artifacts.ts'

interface Inputs {
  readonly kind: 'candidate' | 'baseline' | 'confirm'
  readonly candidate: string
  readonly base: string
  readonly nonce: string
}

/** Ends every run at once with the artifacts that the action would leave: a candidate raises the number in src/a.txt. */
export class FakeRunner implements Runner {
  readonly #box: RunningBox
  readonly #work = new Set<Promise<void>>()
  readonly started: Run[] = []
  /** Runs are kept waiting while it is true. */
  held = false
  /** They are kept waiting after so many were begun. */
  holdAfter = Number.POSITIVE_INFINITY
  /** What every run says it cost. */
  usage: Usage = { tokens: 0, dollars: 0, runnerMs: 5 }
  #held: Run[] = []
  /** What a run does instead of its work; undefined lets it do its work. */
  instead: ((run: Run) => 'vanish' | 'fail' | undefined) | undefined

  constructor(box: RunningBox) {
    this.#box = box
  }

  get isIdle(): boolean {
    return this.#work.size === 0
  }

  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work)
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
    this.#track(instead === 'fail' ? this.#end(run, 'propose', 'failure') : this.#run(run))
  }

  cancel(run: Run): void {
    this.drop(run.id)
    this.#track(this.#end(run, 'propose', 'cancelled'))
  }

  /** Forgets a run that is kept waiting. */
  drop(run: number): void {
    this.#held = this.#held.filter(({ id }) => id !== run)
  }

  #track(work: Promise<void>): void {
    this.#work.add(work)
    void work.finally(() => this.#work.delete(work))
  }

  async #run(run: Run): Promise<void> {
    const { kind, candidate, base, nonce } = inputsOf(run)
    const folder = (await this.#box.box.git.get(run.repositoryId)).repository.commonDir
    const git = (args: readonly string[], input = ''): string =>
      execFileSync('git', ['-C', folder, ...args], { input, encoding: 'utf8' }).trim()
    const ordinal = findCandidate(candidate)?.ordinal ?? 0
    const facts = { kind, candidate, attempt: 1, nonce }
    const before = Number(git(['show', `${base}:src/a.txt`]))
    const baseTree = git(['rev-parse', `${base}^{tree}`])
    let job = 'evaluate'
    let tree = baseTree
    let number = before
    if (kind === 'candidate') {
      number = before + 1 + rngFor(1, ordinal, 'score').int(5) + ordinal / 1000
      const file = aChangedFile('src/a.txt', `${number}\n`)
      tree = this.#treeWith(git, base, `${number}\n`)
      const old = { mode: '100644' as const, blob: git(['rev-parse', `${base}:src/a.txt`]) }
      const proposal = aProposal([{ ...file, before: old }])
      const outcome = { ...proposal.outcome, tree, transcript: `About ${candidate}.` }
      const id = this.#upload(run, 'proposal', {
        ...proposal,
        ...facts,
        base: { commit: base, tree: baseTree },
        outcome,
      })
      job = `evaluate ${id}.${tree}`
    }
    const metrics = { score: number, x: (ordinal % 3) / 3, y: 0.5 }
    const samples = [{ subject: 'candidate' as const, stage: 'full' as const, metrics }]
    const outcome = { status: 'measured' as const, tree, metrics, samples }
    this.#upload(run, 'result', { ...aResultDocument(), ...facts, outcome, usage: this.usage })
    await this.#end(run, job, 'success')
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

  async #end(run: Run, name: string, conclusion: 'success' | 'failure' | 'cancelled'): Promise<void> {
    const { box } = this.#box
    const job = await queueJob(box, run, { name, labels: ['ubuntu-latest'] })
    await startJob(box, job.id, 'test')
    updateSteps(box, job.id, [aStep(conclusion)])
    if (conclusion === 'failure') annotations(box.store).put(job.id, [FAILURE_NOTE])
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
  return { kind: 'candidate', candidate: '', base: '', nonce: '', ...Object(run.payload.inputs) }
}
