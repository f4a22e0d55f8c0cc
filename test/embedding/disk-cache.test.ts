import { appendFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DiskCache } from '../../src/embedding/disk-cache.ts'
import type { FileVector } from '../../src/embedding/file-vectors.ts'
import { anObjectId } from '../support/builders.ts'
import { aFolder } from '../support/repository.ts'

const EMBEDDED: FileVector = { status: 'embedded', vector: Float32Array.of(0.5, -0.25), lines: 7 }
const LEFT_OUT: FileVector = { status: 'left-out', reason: 'binary' }

it('finds again in another run what it was given', async () => {
  const folder = join(aFolder(), 'vectors')
  const keys = [`${anObjectId(1)}.slash`, `${anObjectId(2)}.none`]
  const first = new DiskCache(folder, 2)
  await first.set(keys[0] ?? '', EMBEDDED)
  await first.set(keys[1] ?? '', LEFT_OUT)
  const second = new DiskCache(folder, 2)
  expect(await second.get(keys[0] ?? '')).toEqual(EMBEDDED)
  expect(await second.get(keys[1] ?? '')).toEqual(LEFT_OUT)
  expect(await second.get(`${anObjectId(3)}.none`)).toBeUndefined()
})

it('cuts away a record that a crash left half written, and goes on behind the whole ones', async () => {
  const folder = aFolder()
  const key = `${anObjectId(1)}.slash`
  await new DiskCache(folder, 2).set(key, EMBEDDED)
  const [part = ''] = readdirSync(folder)
  const whole = statSync(join(folder, part)).size
  appendFileSync(join(folder, part), 'half a rec')
  expect(await new DiskCache(folder, 2).get(key)).toEqual(EMBEDDED)
  expect(statSync(join(folder, part)).size).toBe(whole)
})
