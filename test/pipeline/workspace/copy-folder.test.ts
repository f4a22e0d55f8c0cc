import { mkdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copyFolder } from '../../../src/pipeline/workspace/workspace.ts'
import { aFolder, writeFiles } from '../../support/repository.ts'

const path = process.env.PATH ?? ''

describe('copyFolder', () => {
  it('keeps content and dates', async () => {
    const [from, to] = [aFolder(), aFolder()]
    writeFiles(from, { 'deep/file.txt': 'text' })
    utimesSync(join(from, 'deep/file.txt'), 1000, 1000)
    await copyFolder({ from, to, path, owner: 'test' })
    expect(readFileSync(join(to, 'deep/file.txt'), 'utf8')).toBe('text')
    expect(statSync(join(to, 'deep/file.txt')).mtimeMs).toBe(1_000_000)
  })

  it('says that the machine failed when it cannot copy', async () => {
    const from = aFolder()
    mkdirSync(join(from, 'a'))
    const copy = copyFolder({ from, to: join(from, 'missing/folder'), path, owner: 'test' })
    await expect(copy).rejects.toMatchObject({ code: 'internal' })
  })
})
