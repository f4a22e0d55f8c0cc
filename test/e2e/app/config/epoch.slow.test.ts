import { expect, it } from 'vitest'
import type { ArchiveDocument } from '../../../../src/protocol/campaign.ts'
import { label } from '../../../app/support.ts'
import { REPO, type TestBox } from '../../../sandbox/support.ts'
import {
  aConfigFile,
  aScene,
  awaitPhase,
  commitFile,
  dashboardOn,
  ledgerOf,
  PATIENCE,
  stateOf,
} from '../../app-scene.ts'

const LIMITS = 'candidates: 6, parallel: 1'
const OTHER = aConfigFile(LIMITS).replace('node bench.mjs', 'node bench.mjs --long')

async function archiveOf(box: TestBox): Promise<ArchiveDocument> {
  const path = 'campaigns/default-1/archive.json'
  const { data } = await box
    .as('rita')
    .rest.repos.getContent({ ...REPO, ref: 'loreley/state', path, mediaType: { format: 'raw' } })
  return JSON.parse(String(data))
}

function elitesOf({ islands }: ArchiveDocument) {
  return Object.values(islands).flatMap((cells) => Object.values(cells).flat())
}

it('records where candidates are measured, and begins an epoch on runners of another label', async () => {
  const { box, runner } = await aScene({ config: aConfigFile('candidates: 3, parallel: 1') })
  runner.holdAfter = 2
  await label(box)
  await expect.poll(async () => (await stateOf(box))?.finished, PATIENCE).toBe(1)
  expect((await ledgerOf(box)).map((entry) => entry.runner)).toEqual(
    Array.from({ length: 2 }, () => ({ label: 'ubuntu-latest' })),
  )
  // As when somebody sets a variable that `runs-on` reads.
  runner.label = 'big'
  runner.release()
  await awaitPhase(box, 'finished')
  expect((await archiveOf(box)).epoch).toBe(2)
  const later = (await ledgerOf(box)).filter(({ epoch, runner: on }) => epoch === 2 && on !== undefined)
  expect(new Set(later.map((entry) => entry.runner?.label))).toEqual(new Set(['big']))
}, 180_000)

it('begins an epoch when what measures is changed by a push: elites are measured again, old figures keep out', async () => {
  const { box, runner } = await aScene({ config: aConfigFile(LIMITS) })
  // The root and four candidates, with what measures now.
  runner.holdAfter = 5
  const issue = await label(box)
  await expect.poll(async () => (await stateOf(box))?.finished, PATIENCE).toBe(4)
  const before = await archiveOf(box)
  const held = elitesOf(before).filter(({ ordinal }) => ordinal !== 0)
  expect(before.epoch).toBe(1)
  expect(held.length).toBeGreaterThan(1)

  // From the push on the evaluator's numbers are a thousand times as large.
  await commitFile(box, '.loreley.yml', OTHER)
  await expect.poll(async () => (await archiveOf(box)).epoch, PATIENCE).toBe(2)
  runner.scale = 1000
  runner.release()
  await awaitPhase(box, 'finished')

  const after = await archiveOf(box)
  const ledger = await ledgerOf(box)
  // The root first, then each elite of the former epoch, once.
  const renewed = ledger.filter(({ epoch, kind }) => epoch === 2 && kind !== 'candidate')
  expect(renewed[0]).toMatchObject({ kind: 'baseline' })
  const again = renewed.flatMap(({ verdict }) => (verdict.status === 'confirmed' ? [Number(verdict.of)] : []))
  for (const { ordinal } of held) expect(again.filter((of) => of === ordinal)).toHaveLength(1)
  // No figure of the first epoch is compared with one of the second.
  expect(after.epoch).toBe(2)
  for (const { value } of elitesOf(after)) expect(value[0]).toBeGreaterThanOrEqual(1000)
  // What was measured before is still there to be read, as what it is.
  const first = ledger.filter(({ epoch }) => epoch === undefined)
  expect(first.filter(({ kind }) => kind === 'candidate').length).toBeGreaterThanOrEqual(4)
  expect((await dashboardOn(box, issue)).body).toContain('epoch 2')
}, 240_000)
