import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import { createRun } from '../../attacks/attack-box.ts'
import { withAllTrees } from '../../support/builders.ts'
import { finished, step } from '../../support/campaign-steps.ts'
import { aStore, commit } from '../../support/store.ts'
import { aJob } from '../../support/workbench.ts'
import { type FinishedRun, startActionBox } from '../action-box.ts'

// Every candidate of this agent is the same tree.
const CONFIG = `
goal: Smaller numbers.
scope:
  editable: [src/**]
objectives:
  - metric: score
    direction: minimize
evaluation:
  command: sh evaluate.sh
agent:
  use: command
  command:
    code: echo 11 > src/number
`
const FILES = { '.loreley.yml': CONFIG, 'src/number': '12\n', 'evaluate.sh': 'cat src/number\n' }

/** A campaign with two candidates under way, dispatched at the same commit of its state. */
async function startTwins() {
  const action = await startActionBox({
    files: FILES,
    openJobs: async ({ root }) => [1, 2].map((ordinal) => aJob(root.commit, root.tree, { ordinal })),
  })
  const { snapshot, clone } = action
  const run = await createRun(action)
  const first = await run(1)
  const after = step(withAllTrees(snapshot.state), finished(1, first.result)).state
  const push = (): Promise<string> => clone.git('push', '-q', '-f', 'origin', 'loreley/state')
  const publish = async (state: CampaignState): Promise<void> => {
    await commit(await aStore(clone.folder), snapshot.revision, state, snapshot.config)
    await push()
  }
  return { clone, first, after, push, publish, runSecond: () => run(2) }
}

const jobsOf = ({ run }: FinishedRun): string[] =>
  run.jobs.map(({ name, conclusion }) => `${name.split(' ')[0]} ${conclusion}`)

it('a tree that was judged after its dispatch is not measured again', async () => {
  const { first, after, publish, runSecond } = await startTwins()
  expect(first.result).toMatchObject({ status: 'measured', metrics: { score: 11 } })
  await publish(after)
  const second = await runSecond()
  expect(second.finished.result?.outcome).toEqual({
    status: 'duplicate',
    tree: first.result.tree,
    summary: '',
  })
  expect(jobsOf(second.finished)).toEqual(['propose success', 'evaluate skipped'])
  const { ledger } = step(withAllTrees(after), finished(2, second.result)).state
  expect(ledger.tail.at(-1)?.verdict).toEqual({ status: 'refused', reason: 'duplicate', of: 1 })
}, 120_000)

it('two that are under way at the same moment are both measured, and one is a duplicate when admitted', async () => {
  const { after, runSecond } = await startTwins()
  const second = await runSecond()
  expect(second.result).toMatchObject({ status: 'measured', metrics: { score: 11 } })
  const { ledger } = step(withAllTrees(after), finished(2, second.result)).state
  expect(ledger.tail.at(-1)?.verdict).toEqual({ status: 'refused', reason: 'duplicate', of: 1 })
}, 120_000)

it('a state branch that cannot be read any more fails no candidate', async () => {
  const { clone, push, runSecond } = await startTwins()
  const { git, folder } = clone
  await git('checkout', '-q', 'loreley/state')
  writeFileSync(join(folder, 'campaigns/default/campaign.json'), '{"schema":1,"evil":true}\n')
  await git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qam', 'odd')
  await push()
  const odd = await runSecond()
  expect(odd.result).toMatchObject({ status: 'measured', metrics: { score: 11 } })
  expect(odd.finished.log).toContain('What was measured since the dispatch could not be read')
  await git('push', '-q', 'origin', ':loreley/state')
  const gone = await runSecond()
  expect(gone.result).toMatchObject({ status: 'measured', metrics: { score: 11 } })
}, 180_000)
