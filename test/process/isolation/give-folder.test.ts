import { lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tryGiveFolder } from '../../../src/process/disk/give-folder.ts'
import { aFolder, writeFiles } from '../../support/repository.ts'
import { isRoot } from '../enclosed-run.ts'

describe.runIf(isRoot)('a folder that is given to another user', () => {
  it('a small folder is given with links and odd names, and what links lead to is not', async () => {
    const [folder, elsewhere] = [aFolder(), aFolder()]
    writeFiles(folder, { 'a/b/c': '' })
    const odd = Buffer.concat([Buffer.from(`${folder}/a/`), Buffer.from([0xff, 0x20])])
    writeFileSync(odd, '')
    symlinkSync(elsewhere, join(folder, 'link'))
    expect(await tryGiveFolder(folder, 65_534)).toBe(true)
    for (const path of [folder, join(folder, 'a/b/c'), join(folder, 'link'), odd])
      expect(lstatSync(path).uid).toBe(65_534)
    expect(lstatSync(elsewhere).uid).toBe(0)
  })

  it('a large folder is left to a program', async () => {
    const folder = aFolder()
    for (let index = 0; index < 501; index++) mkdirSync(join(folder, String(index)))
    expect(await tryGiveFolder(folder, 65_534)).toBe(false)
  })
})
