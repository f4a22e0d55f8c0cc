import { describe, expect, it } from 'vitest'
import { createPathRule } from '../../src/embedding/eligible.ts'
import { embedCandidate } from '../../src/embedding/embed-candidate.ts'
import { createHashingEmbedder } from '../../src/embedding/embedders/hashing.ts'
import { FileVectors } from '../../src/embedding/file-vectors.ts'
import { embedding as embeddingSchema } from '../../src/protocol/space.ts'
import { cosine, type Files, partsOf, Shelf } from './support.ts'

const ROOT: Files = {
  'src/cache.js': 'export function readCache(key) {\n  return store.get(key)\n}\n',
  'src/parse.js': 'export function parseLine(line) {\n  return line.split(",").map(Number)\n}\n',
  'logo.png': 'not source',
}

describe('a candidate as its difference from the root', () => {
  it('the root differs from itself by nothing', async () => {
    const parts = partsOf(await new Shelf().delta(ROOT, ROOT))
    expect(parts.magnitude).toBe(0)
    expect(parts.components.every((component) => component === 0)).toBe(true)
  })

  it('points the same way for the same kind of change and another way for another', async () => {
    const shelf = new Shelf()
    const eviction = '\nexport function evictOldest(store) {\n  store.delete(oldestKey)\n}\n'
    const one = await shelf.delta(ROOT, { ...ROOT, 'src/cache.js': ROOT['src/cache.js'] + eviction })
    const two = await shelf.delta(ROOT, { ...ROOT, 'src/parse.js': ROOT['src/parse.js'] + eviction })
    const other = await shelf.delta(ROOT, { ...ROOT, 'src/parse.js': 'export const columns = 12 * 7\n' })
    const [a, b, c] = [one, two, other].map((each) => partsOf(each).components)
    expect(cosine(a ?? [], b ?? [])).toBeGreaterThan(cosine(a ?? [], c ?? []) + 0.2)
  })

  it('larger changes have a larger magnitude', async () => {
    const shelf = new Shelf()
    const small = await shelf.delta(ROOT, {
      ...ROOT,
      'src/parse.js': ROOT['src/parse.js']?.replace('","', '";"') ?? '',
    })
    const large = await shelf.delta(ROOT, {
      ...ROOT,
      'src/new.js': 'export const table = [1, 2, 3]\n'.repeat(30),
    })
    expect(partsOf(small).magnitude).toBeGreaterThan(0)
    expect(partsOf(large).magnitude).toBeGreaterThan(partsOf(small).magnitude)
  })

  it('renaming a file changes nothing and embeds nothing', async () => {
    const shelf = new Shelf()
    const { 'src/cache.js': text = '', ...rest } = ROOT
    expect(partsOf(await shelf.delta(ROOT, { ...rest, 'src/memory.js': text })).magnitude).toBe(0)
    expect(shelf.embedded).toBe(0)
  })

  it('a file that is renamed and copied counts as the copy alone', async () => {
    const { 'src/cache.js': text = '', ...rest } = ROOT
    const copied = await new Shelf().delta(ROOT, { ...ROOT, 'src/memory.js': text })
    for (const [one, two] of [
      ['a.js', 'b.js'],
      ['src/x.js', 'z.js'],
    ] as const) {
      const moved = await new Shelf().delta(ROOT, { ...rest, [one]: text, [two]: text })
      expect(moved.embedding.vector).toBe(copied.embedding.vector)
      expect(moved.embedding.files).toEqual([two])
    }
  })

  const modules: Files = Object.fromEntries(
    ['alpha', 'beta', 'gamma', 'delta', 'omega'].map((name, index) => [
      `old/${name}.js`,
      `export function ${name}Of(value) {\n  return value * ${index}\n}\n`.repeat(index + 1),
    ]),
  )
  // Last comes first in the new folder, so that sums run in another order.
  const moved = Object.fromEntries(
    Object.values(modules).map((text, index) => [`new/${9 - index}.js`, text] as const),
  )

  it('renaming a whole folder changes nothing in either mode', async () => {
    const shelf = new Shelf()
    const delta = await shelf.delta({ ...ROOT, ...modules }, { ...ROOT, ...moved })
    expect(shelf.embedded).toBe(0)
    for (const described of [delta, await shelf.repoState({ ...ROOT, ...modules }, { ...ROOT, ...moved })]) {
      const { components, magnitude } = partsOf(described)
      expect([magnitude, Math.max(...components.map(Math.abs))]).toEqual([0, 0])
    }
  })

  it('an edit counts the same whether or not a folder was renamed', async () => {
    const shelf = new Shelf()
    const edit = { 'src/parse.js': 'export const parse = JSON.parse\n' }
    const alone = await shelf.delta(ROOT, { ...ROOT, ...edit })
    const beside = await shelf.delta({ ...ROOT, ...modules }, { ...ROOT, ...moved, ...edit })
    expect(beside.embedding.vector).toBe(alone.embedding.vector)
  })

  it('embeds only the changed versions, and each of them once', async () => {
    const shelf = new Shelf()
    const files = { ...ROOT, 'src/parse.js': 'export const parse = JSON.parse\n' }
    await shelf.delta(ROOT, files)
    await shelf.delta(ROOT, files)
    expect(shelf.embedded).toBe(2)
  })

  it('names the files and terms of the change', async () => {
    const text = ROOT['src/cache.js']?.replaceAll('key', 'slotIndex') ?? ''
    const { embedding } = await new Shelf().delta(ROOT, { ...ROOT, 'src/cache.js': text })
    expect(embedding.files).toEqual(['src/cache.js'])
    expect(embedding.terms).toEqual(['index', 'key', 'slot'])
  })

  it('names files and terms so that they can be stored and shown, whatever they are called', async () => {
    const path = `src/\u001b[31m\n${'x'.repeat(400)}.js`
    const term = 'y'.repeat(400)
    const { embedding } = await new Shelf().delta(ROOT, { ...ROOT, [path]: `let ${term} = 1\n` })
    expect(embedding.files).toEqual([`…${'x'.repeat(252)}.js`])
    expect(embedding.terms).toEqual([`…${'y'.repeat(255)}`])
    expect(embeddingSchema.safeParse(embedding).success).toBe(true)
  })

  it('the embedder never reads more of a file than may take part', async () => {
    const asked: number[] = []
    const vectors = new FileVectors(createHashingEmbedder(), async (_blob, maxBytes) => {
      asked.push(maxBytes)
      return undefined
    })
    const changes = new Shelf().changes({}, { 'a.js': 'let a = 1\n' })
    const { embedding } = await embedCandidate({ changes, vectors, rule: createPathRule() })
    expect(embedding).toMatchObject({ files: [], terms: [], leftOut: { 'too-large': 1 } })
    expect(new Set(asked)).toEqual(new Set([512 * 1024]))
  })

  it('counts the changed files that it leaves out', async () => {
    const { embedding } = await new Shelf().delta(ROOT, {
      ...ROOT,
      'logo.png': 'x',
      'a.min.js': 'y',
    })
    expect(embedding.leftOut).toEqual({ 'not-source': 1, generated: 1 })
    expect(embedding.files).toEqual([])
  })
})

describe('a candidate as the mean of the whole repository', () => {
  it('the mean is zero for the root, and equal whether summed again or from the changes', async () => {
    const shelf = new Shelf()
    expect(partsOf(await shelf.repoState(ROOT, ROOT)).components.every((component) => component === 0)).toBe(
      true,
    )
    const files = { ...ROOT, 'src/parse.js': 'export const parse = JSON.parse\n' }
    const there = partsOf(await shelf.repoState(ROOT, files)).components
    const back = partsOf(await shelf.repoState(files, ROOT)).components
    expect(cosine(there, back)).toBeCloseTo(-1, 6)
  })

  it('moves the less the more files there are, while the difference from the root does not', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [
        `src/f${index}.js`,
        `export const value${index} = ${index}\n`,
      ]),
    )
    const shelf = new Shelf()
    const edit = { 'src/parse.js': 'export const parse = JSON.parse\n' }
    const length = (values: readonly number[]): number => Math.hypot(...values)
    const few = partsOf(await shelf.repoState(ROOT, { ...ROOT, ...edit })).components
    const big = { ...ROOT, ...many }
    const thin = partsOf(await shelf.repoState(big, { ...big, ...edit })).components
    expect(length(thin)).toBeLessThan(length(few) / 10)
    expect(partsOf(await shelf.delta(big, { ...big, ...edit }))).toEqual(
      partsOf(await shelf.delta(ROOT, { ...ROOT, ...edit })),
    )
  })
})
