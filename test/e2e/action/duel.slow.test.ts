import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findBest } from '../../../src/core/archive/archive.ts'
import { rebuild } from '../../../src/core/archive/rebuild.ts'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import type { Job } from '../../../src/core/campaign/job.ts'
import { planMeasurement } from '../../../src/core/measuring/measurement-plan.ts'
import { createRun } from '../../attacks/attack-box.ts'
import { finished, stepWithHistory } from '../../support/campaign-steps.ts'
import { begunNoisily, measured, turns } from '../../support/noisy.ts'
import { type Clone, startActionBox } from '../action-box.ts'

const FILES = {
  '.loreley.yml': `
goal: Larger numbers.
scope: { editable: [src/**] }
objectives: [{ metric: score, direction: maximize }]
evaluation: { command: 'node "$LORELEY_TRUSTED/evaluate.mjs"' }
search: { cells: 9, axes: [{ metric: x, min: 0, max: 1 }, { metric: y, min: 0, max: 1 }] }
`,
  'src/a.txt': '100\n',
  // No run is like the other, by up to a percent either way, whoever runs.
  'evaluate.mjs': `import { readFileSync } from 'node:fs'
const score = Number(readFileSync('src/a.txt', 'utf8')) * (0.99 + 0.02 * Math.random())
console.log(JSON.stringify({ score, x: 0.5, y: 0.5 }))
`,
}

/** A candidate as a commit that the workflow can check out. */
async function publish({ git, root, folder }: Clone, text: string) {
  writeFileSync(join(folder, 'src/a.txt'), text)
  await git('add', 'src')
  const tree = await git('write-tree')
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  const commit = await git(...identity, 'commit-tree', '-p', root.commit, '-m', text, tree)
  await git('push', '-q', 'origin', `${commit}:refs/loreley/keep/duel/${commit}`)
  await git('reset', '-q', '--hard')
  return { commit, tree }
}

function findOpen({ jobs }: CampaignState, purpose: Job['purpose']): Job {
  const job = [...jobs.values()].find((open) => open.purpose === purpose)
  if (job === undefined) throw new Error(`nothing is open as ${purpose}`)
  return job
}

/** A holder whose gain was confirmed, and a challenger that came close to it on another machine. */
async function aCloseCall(clone: Clone): Promise<(start: CampaignState) => CampaignState> {
  const holder = await publish(clone, '110\n')
  const challenger = await publish(clone, '118\n')
  return (start) => {
    let state = begunNoisily(start)
    const finish = (ordinal: number, who: typeof holder, samples: ReturnType<typeof turns>): void => {
      state = stepWithHistory(state, finished(ordinal, { ...measured(ordinal, samples), ...who })).state
    }
    finish(1, holder, turns(0.1))
    finish(findOpen(state, 'best').ordinal, holder, turns(0.1))
    finish(2, challenger, turns(0.125, { wobble: 1.2 }))
    return state
  }
}

it('a duel settles a close call on one machine, and the challenger takes the cell', async () => {
  const action = await startActionBox({ files: FILES, history: aCloseCall })
  const { state } = action.snapshot
  const job = findOpen(state, 'duel')
  expect(job).toMatchObject({ kind: 'confirm', parent: { ordinal: 2 }, rival: { ordinal: 1 } })
  expect(findBest(state.archive, state.config.objectives)?.ordinal).toBe(1)

  const run = await createRun(action)
  const { finished: ran, entry } = await run(job.ordinal)
  const outcome = ran.result?.outcome
  const samples = outcome?.status === 'measured' ? outcome.samples : []
  // The root has no part in it: all that counts is who is ahead of whom, here and now.
  const plan = planMeasurement({ ...state, config: action.snapshot.config }, job)
  const order = plan.kind === 'paired' ? plan.turns.flat().filter(({ isLead }) => !isLead) : []
  expect(samples.length).toBeGreaterThanOrEqual(12)
  expect(samples.map(({ subject }) => subject)).toEqual(
    order.slice(0, samples.length).map(({ subject }) => subject),
  )
  expect(new Set(samples.map(({ subject }) => subject))).toEqual(new Set(['rival', 'candidate']))
  expect(samples.length).toBeLessThanOrEqual(40)
  expect(entry.verdict).toEqual({ status: 'duelled', of: 2, rival: 1, won: true })
  expect(entry.runs?.rival).toHaveLength(samples.length / 2)

  const { archive } = rebuild(state, [...state.ledger.tail, entry])
  expect(archive.members().map(({ elite }) => [elite.ordinal, elite.beats])).toEqual([[2, [1]]])
}, 240_000)
