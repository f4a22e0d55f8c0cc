import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { digestOf } from '../../src/config/digest.ts'
import { pickEnvironment, readEnvironment } from '../../src/config/environment/environment.ts'
import { loadConfig } from '../../src/config/file/load.ts'
import { SMALLEST } from './examples.ts'

describe('loadConfig', () => {
  let folder = ''
  const write = (content: string | Uint8Array) => writeFile(join(folder, '.loreley.yml'), content)

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loreley-config-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('gives the campaigns and the text', async () => {
    await write(SMALLEST)
    const { config, text } = await loadConfig(folder)
    expect(text).toBe(SMALLEST)
    expect([...config.campaigns.keys()]).toEqual(['default'])
  })

  it('points to loreley init when there is no file', async () => {
    await expect(loadConfig(folder)).rejects.toMatchObject({
      code: 'config-missing',
      hint: expect.stringContaining('loreley init'),
    })
  })

  it('says that the config cannot be read when it is a folder', async () => {
    await mkdir(join(folder, '.loreley.yml'))
    await expect(loadConfig(folder)).rejects.toMatchObject({
      code: 'config-missing',
      message: '.loreley.yml cannot be read',
    })
  })

  it('refuses what is not UTF-8, and what is huge, before parsing it', async () => {
    await write(Uint8Array.of(0x67, 0xff))
    await expect(loadConfig(folder)).rejects.toMatchObject({
      code: 'config-invalid',
      hint: 'Save it as UTF-8.',
    })
    await write('#'.repeat(262_145))
    await expect(loadConfig(folder)).rejects.toMatchObject({
      code: 'config-invalid',
      problems: [{ message: 'the file is larger than 256 KiB' }],
    })
  })
})

describe('readEnvironment', () => {
  it.each([
    [{ LORELEY_CACHE: '/l', XDG_CACHE_HOME: '/x', HOME: '/h' }, '/l'],
    [{ LORELEY_CACHE: '', XDG_CACHE_HOME: '/x', HOME: '/h' }, '/x/loreley'],
    [{ XDG_CACHE_HOME: 'relative', HOME: '/h' }, '/h/.cache/loreley'],
    [{ HOME: '/h' }, '/h/.cache/loreley'],
  ])('finds the cache folder in %j', (env, cacheFolder) => {
    expect(readEnvironment(env)).toEqual({ cacheFolder, path: '', home: '/h' })
  })

  it('passes PATH on', () => {
    expect(readEnvironment({ HOME: '/h', PATH: '/bin' }).path).toBe('/bin')
  })
})

describe('pickEnvironment', () => {
  it('passes only named variables that are set', () => {
    expect(pickEnvironment(['A', 'B', 'toString'], { A: '', C: 'secret' })).toEqual({ A: '' })
  })
})

describe('digestOf', () => {
  it('the digest ignores the order of keys and undefined values', () => {
    expect(digestOf({ b: [1, { d: 1, c: 2 }], a: undefined })).toBe(digestOf({ b: [1, { c: 2, d: 1 }] }))
    expect(digestOf({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
  })

  it('the digest changes with the order of a list', () => {
    expect(digestOf([1, 2])).not.toBe(digestOf([2, 1]))
  })
})
