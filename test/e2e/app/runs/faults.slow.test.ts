import { expect, it } from 'vitest'
import { label } from '../../../app/support.ts'
import { REPO } from '../../../sandbox/support.ts'
import {
  answersOn,
  aScene,
  awaitPhase,
  dashboardOn,
  ledgerOf,
  PATIENCE,
  say,
  stateOf,
} from '../../app-scene.ts'

/** What must hold however events came about. */
async function assertOrderly(box: Awaited<ReturnType<typeof aScene>>['box'], candidates: number) {
  const entries = await ledgerOf(box)
  const ordinals = entries.map(({ ordinal }) => ordinal)
  expect(new Set(ordinals).size, 'no ordinal twice').toBe(ordinals.length)
  expect(entries.filter(({ kind }) => kind === 'candidate')).toHaveLength(candidates)
  const { data } = await box.as('rita').rest.git.listMatchingRefs({ ...REPO, ref: 'heads/loreley/elite/' })
  const held = await box.as('rita').rest.repos.getContent({
    ...REPO,
    ref: 'loreley/state',
    path: 'campaigns/default-1/archive.json',
    mediaType: { format: 'raw' },
  })
  const commits = [...String(held.data).matchAll(/"commit": ?"([0-9a-f]{40})"/g)].map(([, sha]) => sha)
  expect(data.map(({ object }) => object.sha).sort(), 'one branch an elite').toEqual(commits.sort())
}

it('carries on after a restart in the middle, in which runs ended', async () => {
  const { box, runner, restart } = await aScene({ limits: 'candidates: 6, parallel: 2' })
  runner.holdAfter = 3
  await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBeGreaterThan(0)
  box.settings.faults = { ...box.settings.faults, webhookLost: 1 }
  runner.release()
  await runner.idle()
  box.settings.faults = { ...box.settings.faults, webhookLost: 0 }
  await restart()
  await awaitPhase(box, 'finished')
  await assertOrderly(box, 6)
}, 180_000)

it('gets everything by its timer while all webhooks are lost', async () => {
  const { box } = await aScene({ limits: 'candidates: 3, parallel: 2', settings: { reconcileMs: 400 } })
  box.settings.faults = { ...box.settings.faults, webhookLost: 1 }
  const issue = await label(box)
  await awaitPhase(box, 'finished')
  await assertOrderly(box, 3)
  await say(box, 'wendy', issue, '/loreley status')
  await expect.poll(() => answersOn(box, issue), PATIENCE).toEqual([expect.stringContaining('Finished')])
  const pulls = async () => (await box.as('rita').rest.pulls.list(REPO)).data
  await expect.poll(async () => (await pulls()).length, PATIENCE).toBe(1)
  const [pull] = await pulls()
  await box.as('wendy').rest.pulls.update({ ...REPO, pull_number: pull?.number ?? 0, state: 'closed' })
  await expect.poll(async () => (await stateOf(box))?.control.pulls[0]?.status, PATIENCE).toBe('closed')
  await expect.poll(async () => (await dashboardOn(box, issue)).body, PATIENCE).toContain('closed')
  // An answered command is answered once, however often the timer looks.
  expect(await answersOn(box, issue)).toHaveLength(1)
}, 180_000)

it('a campaign survives doubled, delayed and reordered webhooks', async () => {
  const { box } = await aScene({ limits: 'candidates: 6, parallel: 3', settings: { reconcileMs: 2000 } })
  box.settings.faults = {
    ...box.settings.faults,
    webhookDoubled: 0.5,
    webhookDelayed: 0.3,
    webhookDelayMs: 60,
    webhookReordered: 0.3,
  }
  await label(box)
  await awaitPhase(box, 'finished')
  await assertOrderly(box, 6)
}, 180_000)

it('two processes drive one repository at once without harm', async () => {
  const { box, runner, another } = await aScene({
    limits: 'candidates: 6, parallel: 3',
    settings: { reconcileMs: 1500, searchMs: 20_000 },
  })
  await another()
  await label(box)
  await awaitPhase(box, 'finished')
  await assertOrderly(box, 6)
  const names = runner.started.map(({ displayTitle }) => displayTitle)
  expect(new Set(names).size, 'no run twice').toBe(names.length)
}, 180_000)
