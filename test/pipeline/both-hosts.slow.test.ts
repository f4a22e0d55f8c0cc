import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createAgent } from '../../src/agents/registry.ts'
import type { Job, JobResult, ParentRef } from '../../src/core/campaign/job.ts'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import { localFolders } from '../../src/local/local-folders.ts'
import { createLocalHost } from '../../src/local/local-host.ts'
import { runJob } from '../../src/local/run-job.ts'
import { openGit } from '../../src/store/open-git.ts'
import { Transcripts } from '../../src/store/transcripts.ts'
import { createRun } from '../attacks/attack-box.ts'
import { type ActionBox, type ActionBoxOptions, type Clone, startActionBox } from '../e2e/action-box.ts'
import { REPO } from '../sandbox/support.ts'
import { aResult, withAllTrees } from '../support/builders.ts'
import { begun, finished, step } from '../support/campaign-steps.ts'
import { aFolder, gitEnvironment, writeFiles } from '../support/repository.ts'
import { aStore } from '../support/store.ts'
import { aJob } from '../support/workbench.ts'

// The folder of an agent tells which candidate it works on: <ordinal>-<attempt>/agent/files.
const AGENT = `ordinal=$(echo "$PWD" | sed -E 's#.*/([0-9]+)-[0-9]+/agent/files$#\\1#')
echo "plan of $ordinal"
echo "candidate $ordinal changes the number"
case $ordinal in
  3) echo 9 > src/number; echo more > src/more ;;
  4) echo 11 > src/number ;;
  5) echo broken > src/number ;;
  6) echo 'echo 1' > evaluate.sh ;;
  7) exit 1 ;;
esac
`

function filesWith(evaluation: object): Record<string, string> {
  const script = join(aFolder(), 'agent.sh')
  writeFileSync(script, AGENT)
  const config = {
    goal: 'Smaller numbers.',
    scope: { editable: ['src/**'] },
    objectives: [{ metric: 'score', direction: 'minimize' }],
    // The level of isolation is a fact of the machine.
    evaluation: { command: 'sh evaluate.sh', isolation: 'none', ...evaluation },
    agent: { use: 'command', command: { code: `sh ${script}` } },
  }
  return {
    '.loreley.yml': JSON.stringify(config),
    'src/number': '12\n',
    'evaluate.sh': 'cat src/number\n',
  }
}

/** Commits files over the root, where both hosts find them. The box runs in this process: git must not block it. */
async function publish(clone: Clone, ordinal: number, files: Record<string, string>): Promise<ParentRef> {
  const { folder, root } = clone
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  await clone.git('checkout', '-q', '--detach', root.commit)
  writeFiles(folder, files)
  await clone.git('add', '-A')
  await clone.git(...identity, 'commit', '-q', '-m', `candidate ${ordinal}`)
  const commit = await clone.git('rev-parse', 'HEAD')
  await clone.git('push', '-q', 'origin', `${commit}:refs/loreley/keep/published/${ordinal}`)
  await clone.git('checkout', '-q', 'main')
  return { ordinal, commit, tree: await clone.git('rev-parse', `${commit}^{tree}`) }
}

/** A campaign whose candidates 1 and 2 are measured, with these jobs to do. */
async function startBox(
  evaluation: object,
  rootRuns: readonly number[],
  jobsOf: (root: Clone['root'], first: ParentRef, second: ParentRef) => readonly Job[],
): Promise<ActionBox> {
  const history: ActionBoxOptions['history'] = async (clone) => {
    const first = await publish(clone, 1, { 'src/number': '11\n' })
    const second = await publish(clone, 2, { 'src/number': '10\n', 'src/second': 'a\nb\n' })
    return (start) => {
      const samples = rootRuns.map(
        (score) => ({ subject: 'candidate', stage: 'full', metrics: { score } }) as const,
      )
      const measured = { ...clone.root, metrics: { score: rootRuns[0] ?? 12 }, samples }
      let state = begun(start, aResult(0, measured))
      for (const { ordinal, commit, tree } of [first, second]) {
        const result = aResult(ordinal, { commit, tree, metrics: { score: 12 - ordinal } })
        state = step(withAllTrees(state), finished(ordinal, result)).state
      }
      const jobs = jobsOf(clone.root, first, second)
      const campaign = { ...state.campaign, nextOrdinal: 3 + jobs.length }
      return { ...state, campaign, jobs: new Map(jobs.map((job) => [job.ordinal, job])) }
    }
  }
  return await startActionBox({ files: filesWith(evaluation), history })
}

/** Works on jobs as `loreley run` does, in the clone of a box. */
async function createLocalRun({ clone, snapshot }: ActionBox): Promise<(job: Job) => Promise<JobResult>> {
  const opened = await openGit(clone.folder, gitEnvironment)
  onTestFinished(() => opened.close())
  const { config, state } = snapshot
  const path = process.env.PATH ?? ''
  const request = {
    git: opened,
    config,
    agent: createAgent(config.agent, { path, environment: {} }),
    folders: localFolders(opened.repository, aFolder(), config.name),
    parallel: 1,
    path,
    home: aFolder(),
    passedEnvironment: {},
    signal: new AbortController().signal,
    reporter: { started: () => undefined, finished: () => undefined, warned: () => undefined },
  }
  const sources = { current: () => snapshot, transcripts: new Transcripts() }
  const tools = await createLocalHost(request, state.campaign.root, sources)
  return async (job) => {
    const result = await runJob(tools, job, request.signal)
    if (result === undefined) throw new Error(`candidate ${job.ordinal} was aborted`)
    return result
  }
}

/** The line that a result becomes. */
async function judge(
  { clone, snapshot }: ActionBox,
  ordinal: number,
  result: JobResult,
): Promise<LedgerEntry> {
  const store = await aStore(clone.folder)
  const { state } = await store.withTrees(snapshot, result.tree === undefined ? [] : [result.tree])
  const entry = step(withAllTrees(state), finished(ordinal, result)).state.ledger.tail.at(-1)
  if (entry?.ordinal !== ordinal) throw new Error(`candidate ${ordinal} was not judged`)
  return entry
}

/** A line without what differs from machine to machine; a new commit counts by its message. */
function comparable(
  { run: _, runner: __, usage, commit, ...entry }: LedgerEntry,
  message: string | undefined,
) {
  return { ...entry, commit: message ?? commit, usage: { ...usage, runnerMs: 0 } }
}

/** The same job on both hosts. */
async function createHosts(action: ActionBox) {
  const { box, clone, snapshot } = action
  const runOnGitHub = await createRun(action)
  const runLocally = await createLocalRun(action)
  return async (ordinal: number) => {
    const job = snapshot.state.jobs.get(ordinal)
    if (job === undefined) throw new Error(`there is no job ${ordinal}`)
    const entry = await judge(action, ordinal, (await runOnGitHub(ordinal)).result)
    const own = await judge(action, ordinal, await runLocally(job))
    const isNew = job.kind === 'candidate' && entry.commit !== undefined
    const onGitHub = isNew
      ? (await box.as('wendy').rest.git.getCommit({ ...REPO, commit_sha: entry.commit ?? '' })).data.message
      : undefined
    const here = isNew ? await clone.git('log', '-1', '--format=%B', own.commit ?? '') : undefined
    return { gitHub: comparable(entry, onGitHub?.trim()), local: comparable(own, here?.trim()) }
  }
}

it('both hosts write the same ledger lines for candidates and confirmations', async () => {
  const action = await startBox({}, [12], (root, first, second) => [
    ...[3, 4, 5, 6, 7, 8].map((ordinal) => aJob(root.commit, root.tree, { ordinal })),
    aJob(root.commit, root.tree, { ordinal: 9, kind: 'confirm', parent: second }),
    aJob(root.commit, root.tree, { ordinal: 10, parent: first }),
  ])
  const runOnBoth = await createHosts(action)
  const expected: [ordinal: number, line: object][] = [
    [3, { metrics: { score: 9 }, summary: 'candidate 3 changes the number', change: { files: 2 } }],
    [4, { verdict: { reason: 'duplicate', of: 1 }, summary: 'candidate 4 changes the number' }],
    [5, { verdict: { reason: 'output-unreadable' }, summary: 'candidate 5 changes the number' }],
    [6, { verdict: { reason: 'guard-blocked' } }],
    [7, { verdict: { reason: 'agent-failed' } }],
    [8, { verdict: { reason: 'no-change' } }],
    [9, { verdict: { status: 'confirmed', of: 2 }, change: { files: 2, linesAdded: 3, linesRemoved: 1 } }],
    [10, { verdict: { reason: 'no-change' }, parent: 1 }],
  ]
  for (const [ordinal, line] of expected) {
    const { gitHub, local } = await runOnBoth(ordinal)
    expect(gitHub).toEqual(local)
    expect(local).toMatchObject(line)
  }
}, 600_000)

it('both hosts write the same ledger line for a duel', async () => {
  const sampling = { min_pairs: 2, max_pairs: 9 }
  const action = await startBox({ sampling }, [12, 12.2, 11.9, 12.1], (root, first, second) => [
    aJob(root.commit, root.tree, {
      ordinal: 3,
      kind: 'confirm',
      purpose: 'duel',
      parent: second,
      rival: first,
    }),
  ])
  const { gitHub, local } = await (await createHosts(action))(3)
  expect(gitHub).toEqual(local)
  expect(local).toMatchObject({
    verdict: { status: 'duelled', of: 2, rival: 1 },
    summary: 'candidate 2, interleaved with 1',
    change: { files: 2 },
  })
}, 300_000)

it('both hosts write the same ledger line for the root', async () => {
  const action = await startActionBox({ files: filesWith({}), kind: 'baseline' })
  const { gitHub, local } = await (await createHosts(action))(0)
  expect(gitHub).toEqual(local)
  expect(local).toMatchObject({ summary: 'the root', metrics: { score: 12 } })
}, 300_000)
