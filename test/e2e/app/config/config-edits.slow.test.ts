import { expect, it } from 'vitest'
import { runs } from '../../../../src/sandbox/actions/documents.ts'
import { label } from '../../../app/support.ts'
import { REPO } from '../../../sandbox/support.ts'
import {
  aConfigFile,
  answersOn,
  aScene,
  ask,
  awaitPhase,
  commitFile,
  complaintsOf,
  ledgerOf,
  PATIENCE,
} from '../../app-scene.ts'

const CONFIG = '.loreley.yml'

it('carries on while the config is broken, asks once, and takes over the mended one', async () => {
  const { box, runner, app } = await aScene({ limits: 'candidates: 6, parallel: 1' })
  runner.holdAfter = 2
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  await commitFile(box, CONFIG, 'goal: More.\nnonsense: true\n')
  await expect
    .poll(() => complaintsOf(box), PATIENCE)
    .toEqual([expect.stringContaining('nonsense is not a known key')])
  runner.release()
  runner.holdAfter = 4
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  expect(await ask(box, 'wendy', issue, '/loreley status')).toMatch(/[23] of 6 candidates/)
  const { data } = await box.as('rita').rest.issues.create({ ...REPO, title: 'Another', body: '' })
  expect(await ask(box, 'wendy', data.number, '/loreley start')).toContain(
    '.loreley.yml:2:1 nonsense is not a known key',
  )
  await app.app.watch()
  await app.app.settled()
  expect(await complaintsOf(box)).toHaveLength(1)

  // Whoever closes it has read it; whoever asks for a campaign is told again.
  const complaint = async (state: 'open' | 'closed') =>
    (await box.as('rita').rest.issues.listForRepo({ ...REPO, creator: 'tester[bot]', state })).data
  const [asked] = await complaint('open')
  await box.as('wendy').rest.issues.update({ ...REPO, issue_number: asked?.number ?? 0, state: 'closed' })
  await app.app.watch()
  await app.app.settled()
  expect(await complaintsOf(box)).toEqual([])
  await box.as('wendy').rest.issues.addLabels({ ...REPO, issue_number: data.number, labels: ['loreley'] })
  await expect.poll(() => complaintsOf(box), PATIENCE).toHaveLength(1)
  await box.as('wendy').rest.issues.removeLabel({ ...REPO, issue_number: data.number, name: 'loreley' })

  await commitFile(box, CONFIG, aConfigFile('candidates: 5, parallel: 1'))
  await expect.poll(() => complaintsOf(box), PATIENCE).toEqual([])
  expect(await complaint('closed')).toHaveLength(1)
  runner.release()
  await awaitPhase(box, 'finished')
  const candidates = (await ledgerOf(box)).filter(({ kind }) => kind === 'candidate')
  expect(candidates.map(({ ordinal }) => ordinal).sort()).toEqual([1, 2, 3, 4, 5])
}, 240_000)

it('applies limits at once, begins an epoch for what measures, and says what needs a new campaign', async () => {
  const { box, runner, app } = await aScene({ limits: 'candidates: 8, parallel: 1' })
  const measuredBy = (command: string, limits: string) =>
    aConfigFile(limits).replace('node bench.mjs', `node bench.mjs ${command}`)
  runner.held = true
  const issue = await label(box)
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  const [first] = runner.heldRuns
  // Commands go before all else that waits: the push must have been worked off.
  const status = async () => {
    await box.settled()
    await app.app.settled()
    return await ask(box, 'wendy', issue, '/loreley status')
  }

  // Before anything was measured: the root is measured by the new command, in a run of its own.
  await commitFile(box, CONFIG, measuredBy('--once', 'candidates: 8, parallel: 1'))
  await expect.poll(() => runner.heldRuns.filter(({ id }) => id !== first?.id).length, PATIENCE).toBe(1)
  await expect.poll(() => runs(box.box.store).find(first?.id ?? 0)?.conclusion, PATIENCE).toBe('cancelled')
  runner.release()
  runner.holdAfter = 3
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)

  // What was said last about a limit counts; other edits leave it alone.
  expect(await ask(box, 'wendy', issue, '/loreley budget candidates 6')).toContain('of 6 candidates')
  await commitFile(
    box,
    CONFIG,
    measuredBy('--once', 'candidates: 8, parallel: 1').replace('More.', 'Still more.'),
  )
  expect(await status()).toContain('of 6 candidates')
  await commitFile(box, CONFIG, measuredBy('--once', 'candidates: 7, parallel: 1'))
  expect(await status()).toContain('of 7 candidates')
  box.settings.faults = { ...box.settings.faults, webhookLost: 1 }
  await commitFile(box, CONFIG, measuredBy('--once', 'candidates: 4, parallel: 1'))
  await box.settled()
  box.settings.faults = { ...box.settings.faults, webhookLost: 0 }
  await app.app.watch()
  expect(await status()).toContain('of 4 candidates')

  // What candidates may touch is fixed: it is said until it is put back, and the limits still count.
  const elsewhere = measuredBy('--once', 'candidates: 5, parallel: 1').replace('src/**', 'lib/**')
  await commitFile(box, CONFIG, elsewhere)
  await expect
    .poll(() => complaintsOf(box), PATIENCE)
    .toEqual([expect.stringContaining('was started with a different scope.editable')])
  expect(await status()).toContain('of 5 candidates')
  await app.app.watch()
  await app.app.settled()
  expect(await complaintsOf(box)).toHaveLength(1)
  await commitFile(box, CONFIG, measuredBy('--once', 'candidates: 5, parallel: 1'))
  await expect.poll(() => complaintsOf(box), PATIENCE).toEqual([])

  // Another command measures: what runs is called off, root and elites are measured again.
  const [held] = runner.heldRuns
  await commitFile(box, CONFIG, measuredBy('--twice', 'candidates: 5, parallel: 1'))
  await expect
    .poll(() => answersOn(box, issue), PATIENCE)
    .toContainEqual(expect.stringContaining('epoch 2 starts'))
  await expect.poll(() => runs(box.box.store).find(held?.id ?? 0)?.conclusion, PATIENCE).toBe('cancelled')
  runner.release()
  await awaitPhase(box, 'finished')
  const entries: { kind: string; epoch?: number; verdict: Record<string, unknown> }[] = await ledgerOf(box)
  const spent = entries.filter(({ kind, verdict }) => kind === 'candidate' && verdict.reason !== 'superseded')
  expect(spent).toHaveLength(5)
  const renewed = entries.filter(({ epoch }) => epoch === 2).map(({ kind }) => kind)
  expect(renewed.slice(0, 2)).toEqual(['baseline', 'confirm'])
}, 240_000)

it('lets a campaign that spent its budget go on when the config gives it more and it is labelled again', async () => {
  const { box } = await aScene({ limits: 'candidates: 1, parallel: 1' })
  const issue = await label(box)
  await awaitPhase(box, 'finished')
  expect(await ask(box, 'wendy', issue, '/loreley resume')).toContain('/loreley budget candidates <n>')
  await commitFile(box, CONFIG, aConfigFile('candidates: 2, parallel: 1'))
  const { issues } = box.as('wendy').rest
  await issues.removeLabel({ ...REPO, issue_number: issue, name: 'loreley' })
  await issues.addLabels({ ...REPO, issue_number: issue, labels: ['loreley'] })
  const spent = async () => (await ledgerOf(box)).filter(({ kind }) => kind === 'candidate').length
  await expect.poll(spent, PATIENCE).toBe(2)
}, 240_000)
