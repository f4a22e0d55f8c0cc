import { expect, it } from 'vitest'
import { NO_USAGE } from '../../src/core/budget/budget.ts'
import { assembleResult } from '../../src/protocol/job-result.ts'
import { anObjectId } from '../support/builders.ts'
import { aJob } from '../support/workbench.ts'

const [COMMIT, TREE] = [anObjectId('commit'), anObjectId('tree')]
const measured = { status: 'measured' as const, tree: TREE, metrics: { score: 1 }, samples: [] }
const noCommit = () => Promise.reject(new Error('nothing is to be committed'))

it('a confirmation from an artifact without a change counts as no change, and names its candidate', async () => {
  const job = aJob(COMMIT, TREE, { ordinal: 4, kind: 'confirm' })
  const result = await assembleResult(job, { outcome: measured, usage: NO_USAGE }, noCommit)
  const change = { files: 0, linesAdded: 0, linesRemoved: 0 }
  expect(result).toMatchObject({ commit: COMMIT, change, summary: 'candidate 0, measured again' })
})

it('a confirmation that fails claims no tree of its own', async () => {
  const job = aJob(COMMIT, TREE, { ordinal: 4, kind: 'confirm' })
  const outcome = { status: 'failed', reason: 'infrastructure', detail: 'no disk', tree: TREE } as const
  expect(await assembleResult(job, { outcome, usage: NO_USAGE }, noCommit)).toEqual({
    status: 'failed',
    reason: 'infrastructure',
    detail: 'no disk',
    usage: NO_USAGE,
  })
})

it('a measured candidate whose commit is refused fails as guard-blocked, with its tree and summary', async () => {
  const change = { files: 1, linesAdded: 1, linesRemoved: 0 }
  const proposed = { tree: TREE, summary: 'faster', descriptor: { change } }
  const refuse = async () => ({ status: 'refused', detail: 'push-rule' }) as const
  const result = await assembleResult(
    aJob(COMMIT, TREE),
    { proposed, outcome: measured, usage: NO_USAGE },
    refuse,
  )
  const reason = 'guard-blocked'
  expect(result).toMatchObject({
    status: 'failed',
    reason,
    detail: 'push-rule',
    tree: TREE,
    summary: 'faster',
  })
})
