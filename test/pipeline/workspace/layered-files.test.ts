import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { canLayer, hideRemoved } from '../../../src/pipeline/workspace/layered-files.ts'
import { isRoot } from '../../process/enclosed-run.ts'
import { aFolder, writeFiles } from '../../support/repository.ts'

const PATH = process.env.PATH ?? ''
const removed = (path: string) => ({ pathBytes: Buffer.from(path), version: undefined })
const added = (path: string) => ({
  pathBytes: Buffer.from(path),
  version: { mode: '100644', blob: '0'.repeat(40) } as const,
})

describe('files over a shared folder', () => {
  it('a file in place of a folder needs nothing hidden, whatever the set-up left in the folder', async () => {
    const [lower, upper] = [aFolder(), aFolder()]
    writeFiles(lower, { 'pkg/a.js': '1', 'pkg/node_modules/dep/index.js': '1' })
    writeFiles(upper, { pkg: 'a file' })
    await hideRemoved({ lower, upper }, [removed('pkg/a.js'), added('pkg')], PATH)
    expect(lstatSync(join(upper, 'pkg')).isFile()).toBe(true)
  })

  it.runIf(isRoot)('a removed file is hidden beside what the set-up left', async () => {
    const [lower, upper] = [aFolder(), aFolder()]
    writeFiles(lower, { 'pkg/a.js': '1', 'pkg/made.js': '1' })
    await hideRemoved({ lower, upper }, [removed('pkg/a.js')], PATH)
    expect(lstatSync(join(upper, 'pkg/a.js')).isCharacterDevice()).toBe(true)
    expect(existsSync(join(upper, 'pkg/made.js'))).toBe(false)
  })

  it('a name that is not UTF-8 needs a copy instead', () => {
    expect(canLayer([removed('café.txt')])).toBe(true)
    expect(canLayer([{ pathBytes: Buffer.from([0x63, 0xe9]), version: undefined }])).toBe(false)
  })
})
