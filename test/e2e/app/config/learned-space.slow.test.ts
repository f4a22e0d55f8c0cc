import { expect, it } from 'vitest'
import { rngFor } from '../../../../src/core/rng.ts'
import { type Embedding, encodeVector } from '../../../../src/core/space/embedding.ts'
import type { ArchiveDocument } from '../../../../src/protocol/campaign.ts'
import { label } from '../../../app/support.ts'
import { REPO, type TestBox } from '../../../sandbox/support.ts'
import { aCli } from '../../../support/cli.ts'
import {
  answersOn,
  aScene,
  awaitPhase,
  commitFile,
  complaintsOf,
  ledgerOf,
  PATIENCE,
  stateOf,
} from '../../app-scene.ts'

const CANDIDATES = 14
const configWith = (embedder: string): string => `goal: More.
scope: { editable: [src/**] }
evaluation: { command: node bench.mjs }
objectives: [{ metric: score, direction: maximize }]
search: { cells: 9, warm_up: 2, embedder: ${embedder} }
limits: { candidates: ${CANDIDATES}, parallel: 1 }
`
const FIRST = configWith('{ use: hashing, dimensions: 16 }')
const SECOND = configWith('{ use: command, command: node embed.mjs, dimensions: 16 }')
const KEYED = configWith('{ use: openai, dimensions: 16 }')

/** As long under both embedders: only the names tell from which one axes were learned. */
function describer(embedder: string): (ordinal: number) => Embedding {
  return (ordinal) => {
    const rng = rngFor(1, ordinal, embedder)
    const components = Array.from({ length: 16 }, () => rng.unit() - 0.5)
    return { vector: encodeVector(components, rng.unit()), files: [`src/${embedder}.js`], terms: [embedder] }
  }
}

async function documentOf<T>(box: TestBox, name: string): Promise<T> {
  const path = `campaigns/default-1/${name}`
  const { data } = await box
    .as('rita')
    .rest.repos.getContent({ ...REPO, ref: 'loreley/state', path, mediaType: { format: 'raw' } })
  return JSON.parse(String(data))
}

const projectionOf = (box: TestBox) => documentOf<{ version: number; names: unknown }>(box, 'projection.json')

const elitesOf = async (box: TestBox) =>
  Object.values((await documentOf<ArchiveDocument>(box, 'archive.json')).islands)
    .flatMap((cells) => Object.values(cells).flat())
    .filter(({ ordinal }) => ordinal !== 0)

it('begins an epoch and a map of its own with another embedder, and refuses one that needs a key', async () => {
  const { box, runner } = await aScene({ config: FIRST })
  runner.embeddingOf = describer('first')
  // The root, and so many candidates that there are axes.
  runner.holdAfter = 11
  const issue = await label(box)
  await expect.poll(async () => (await stateOf(box))?.finished, PATIENCE).toBe(10)
  await expect.poll(async () => (await projectionOf(box)).version, PATIENCE).toBeGreaterThan(0)
  expect(JSON.stringify((await projectionOf(box)).names)).toContain('first')
  const held = await elitesOf(box)
  expect(held.length).toBeGreaterThan(2)

  await commitFile(box, '.loreley.yml', KEYED)
  await expect
    .poll(() => complaintsOf(box), PATIENCE)
    .toEqual([
      expect.stringMatching(
        /was started with a different search\.embedder.*needs a key.*for a new campaign/s,
      ),
    ])
  expect((await documentOf<ArchiveDocument>(box, 'archive.json')).epoch).toBe(1)

  await commitFile(box, '.loreley.yml', SECOND)
  await expect.poll(() => complaintsOf(box), PATIENCE).toEqual([])
  await expect
    .poll(() => answersOn(box, issue), PATIENCE)
    .toContainEqual(
      expect.stringContaining('The way candidates are described has changed, so epoch 2 starts.'),
    )
  expect(await projectionOf(box)).toMatchObject({ version: 0, names: [] })
  runner.embeddingOf = describer('second')
  runner.release()
  await awaitPhase(box, 'finished')

  const again = (await ledgerOf(box)).flatMap(({ epoch, verdict }) =>
    epoch === 2 && verdict.status === 'confirmed' ? [Number(verdict.of)] : [],
  )
  for (const { ordinal } of held) expect(again).toContain(ordinal)
  const { version, names } = await projectionOf(box)
  expect(version).toBeGreaterThan(0)
  expect(JSON.stringify(names)).toContain('second')
  expect(JSON.stringify(names)).not.toContain('first')
  expect((await elitesOf(box)).length).toBeGreaterThan(2)

  const { data } = await box.as('rita').rest.repos.get(REPO)
  const folder = (await box.box.git.get(data.id)).repository.commonDir
  const rebuilt = await aCli().run(folder, 'rebuild', 'default-1', '--json')
  expect(JSON.parse(rebuilt.stdout)).toMatchObject({ campaign: 'default-1', agrees: true })
}, 240_000)
