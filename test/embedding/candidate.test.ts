import { describe, expect, it } from 'vitest'
import { cosine, type Files, partsOf, Shelf } from './support.ts'

const ROOT: Files = {
  'src/cache.js': 'export function readCache(key) {\n  return store.get(key)\n}\n',
  'src/parse.js': 'export function parseLine(line) {\n  return line.split(",").map(Number)\n}\n',
  'logo.png': 'not source',
}

describe('a candidate as its difference from the root', () => {
  it('is nothing for the root itself', async () => {
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

  it('has the larger magnitude the more changes', async () => {
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

  it('does not change when a file is renamed', async () => {
    const shelf = new Shelf()
    const { 'src/cache.js': text = '', ...rest } = ROOT
    expect(partsOf(await shelf.delta(ROOT, { ...rest, 'src/memory.js': text })).magnitude).toBe(0)
    expect(shelf.embedded).toBe(1)
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
  it('is nothing for the root, and the same whether summed anew or from the changes', async () => {
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
