import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Evaluation } from '../../src/app/ports.ts'
import { inputsOf } from '../../src/app/runs/job-runs.ts'
import { RunOutcomes } from '../../src/app/runs/run-outcome.ts'
import type { Job, JobResult } from '../../src/core/campaign/job.ts'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import { Recent } from '../../src/github/api/recent.ts'
import { BaseTrees } from '../../src/github/git/base-trees.ts'
import { Candidates } from '../../src/github/git/candidates.ts'
import { createRootGuard } from '../../src/github/git/root-guard.ts'
import { findRun } from '../../src/github/runs/runs.ts'
import {
  type ActionBox,
  type ActionBoxOptions,
  type Clone,
  type FinishedRun,
  startActionBox,
} from '../e2e/action-box.ts'
import { gitHubOf } from '../github/support.ts'
import { REPO, type TestBox } from '../sandbox/support.ts'
import { withAllTrees } from '../support/builders.ts'
import { finished, step } from '../support/campaign-steps.ts'
import { aFolder } from '../support/repository.ts'
import { aJob } from '../support/workbench.ts'
import type { Attack } from './candidates/attacks.ts'
import { victimFiles, victimSettings } from './candidates/victim.ts'

/** How one attack went: what its run left, and what the App and the campaign made of that. */
export interface AttackedRun {
  readonly finished: FinishedRun
  readonly result: JobResult
  readonly entry: LedgerEntry
}

export interface AttackBox {
  readonly action: ActionBox
  /** Dispatches the job of this ordinal and lets the App read what its run leaves. */
  run(ordinal: number): Promise<AttackedRun>
}

export interface AttackBoxOptions extends Pick<ActionBoxOptions, 'editTemplate' | 'rootRuns'> {
  /** Parts of the victim's settings that are other than usual. */
  readonly settings?: object
  /** Files beside or instead of the victim's. */
  readonly files?: Readonly<Record<string, string>>
}

/** An agent that copies the attack of its candidate. Its folder tells which that is: <ordinal>-<attempt>/agent/files. */
export const AGENT = `here=$(dirname "$0")
ordinal=$(echo "$PWD" | sed -E 's#.*/([0-9]+)-[0-9]+/agent/files$#\\1#')
find . -mindepth 1 -delete
echo "attack $ordinal"
cp -a "$here/$ordinal/." .
`

/**
 * A box in which candidate n is the n-th attack: its agent is a command that leaves what the attack leaves. An attack
 * that is measured again is also there as a commit, with a job that confirms it after all the others.
 */
export async function startAttackBox(
  attacks: readonly Attack[],
  { settings = {}, files = {}, ...options }: AttackBoxOptions = {},
): Promise<AttackBox> {
  const works = aFolder('loreley-attacks-')
  writeFileSync(join(works, 'agent.sh'), AGENT)
  const agent = { use: 'command', command: { code: `sh ${join(works, 'agent.sh')}` } }
  const action = await startActionBox({
    files: { ...victimFiles({ ...victimSettings({ agent }), ...settings }), ...files },
    ...options,
    openJobs: (clone) => openJobs(clone, works, attacks),
  })
  return { action, run: await createRun(action) }
}

async function openJobs(clone: Clone, works: string, attacks: readonly Attack[]): Promise<Job[]> {
  const { commit, tree } = clone.root
  const jobs = attacks.map((_, index) => aJob(commit, tree, { ordinal: index + 1 }))
  const again: Job[] = []
  for (const [index, { work, end }] of attacks.entries()) {
    const folder = join(works, `${index + 1}`)
    mkdirSync(folder)
    // What the agent is given: the files without git's folder and the config.
    cpSync(clone.folder, folder, {
      recursive: true,
      filter: (path) => !/\/(\.git|\.loreley\.yml)$/.test(path),
    })
    work(folder)
    if (end !== 'fitted') continue
    const parent = { ordinal: index + 1, ...(await publishAttack(clone, folder)) }
    again.push(aJob(commit, tree, { ordinal: attacks.length + again.length + 1, kind: 'confirm', parent }))
  }
  return [...jobs, ...again]
}

async function publishAttack({ git, root }: Clone, folder: string) {
  await git(`--work-tree=${folder}`, 'add', 'src')
  const tree = await git('write-tree')
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  const commit = await git(...identity, 'commit-tree', '-p', root.commit, '-m', 'attack', tree)
  await git('push', '-q', 'origin', `${commit}:refs/loreley/keep/attacked/${commit}`)
  await git('reset', '-q', '--hard')
  return { commit, tree }
}

/** The App's own way from a finished run to a verdict; the tests dispatch as wendy. */
export async function createRun({ box, snapshot, dispatch }: ActionBox): Promise<AttackBox['run']> {
  const api = (await gitHubOf(box)).api()
  const trees = new BaseTrees(api)
  const { config, state } = snapshot
  const guard = createRootGuard(api, trees, { config, tree: state.campaign.root.tree })
  const evaluations = new Recent<Evaluation>(10)
  const tools = { api, candidates: new Candidates(api, trees), actor: 'wendy', evaluations }
  const outcomes = new RunOutcomes(tools, () => guard)
  return async (ordinal) => {
    const job = state.jobs.get(ordinal)
    if (job === undefined) throw new Error(`there is no job ${ordinal}`)
    const ran = await dispatch(inputsOf(snapshot, job))
    const facts = await findRun(api, ran.run.id)
    if (facts === undefined) throw new Error('there is no such run')
    const { result } = await outcomes.read(snapshot, job, facts)
    const entry = step(withAllTrees(state), finished(ordinal, result)).state.ledger.tail.at(-1)
    if (entry?.ordinal !== ordinal) throw new Error(`candidate ${ordinal} was not judged`)
    return { finished: ran, result, entry }
  }
}

/** The text with `from` made `to`; a template that has no such place would make every check below pass unseen. */
export function edited(text: string, from: string, to: string): string {
  expect(text.split(from), from).toHaveLength(2)
  return text.replace(from, () => to)
}

/** What is in the Actions cache of the repository. */
export async function cachesOf(box: TestBox) {
  const { data } = await box.as('rita').rest.actions.getActionsCacheList(REPO)
  return data.actions_caches
}
