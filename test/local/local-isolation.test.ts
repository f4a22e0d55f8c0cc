import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openRepository } from '../../src/git/repository.ts'
import { localFolders } from '../../src/local/local-folders.ts'
import { isolateLocally, type LocalMachine } from '../../src/local/local-isolation.ts'
import { runGroup } from '../../src/process/run-group.ts'
import { hasNamespaces, hasUserNamespaces } from '../process/enclosed-run.ts'
import { aFolder, aRepository, gitEnvironment, writeFiles } from '../support/repository.ts'
import { anEvaluation } from '../support/workbench.ts'

async function aMachine(changes: Partial<LocalMachine> = {}): Promise<LocalMachine> {
  const repository = await openRepository(aRepository({ 'held-out.txt': 'secret' }), gitEnvironment)
  const [home, cache] = [aFolder(), aFolder()]
  chmodSync(cache, 0o755)
  const trialFolder = join(cache, 'trial')
  mkdirSync(trialFolder)
  const folders = localFolders(repository, cache, 'default')
  return { repository, folders, trialFolder, home, path: process.env.PATH ?? '', ...changes }
}

describe('the local host', () => {
  it('a local run refuses to start without the isolation that the config names', async () => {
    const machine = await aMachine({ path: '/nonexistent' })
    for (const isolation of ['namespace', 'user'] as const)
      await expect(isolateLocally(machine, anEvaluation({ isolation }))).rejects.toMatchObject({
        code: 'isolation-unavailable',
        message: expect.stringContaining(`evaluation.isolation: ${isolation}`),
      })
  })

  it('a local run with `auto` starts without isolation where there is none, and says why', async () => {
    const found = await isolateLocally(await aMachine({ path: '/nonexistent' }), anEvaluation())
    expect(found).toEqual({ status: 'none', isolation: undefined, reason: expect.stringMatching(/./) })
  })

  it('a local run starts silently without isolation where the config accepts that', async () => {
    const found = await isolateLocally(await aMachine(), anEvaluation({ isolation: 'none' }))
    expect(found).toEqual({ status: 'none', isolation: undefined, reason: undefined })
  })

  it.runIf(hasNamespaces || hasUserNamespaces)(
    'hides home, repository and cache, but not the tools in them',
    async () => {
      const machine = await aMachine()
      const { home, repository, folders } = machine
      writeFiles(home, { 'notes.txt': 'mine', 'tools/bin/measure': '#!/bin/sh\necho measured\n' })
      chmodSync(join(home, 'tools/bin/measure'), 0o755)
      writeFiles(folders.cache, { 'other/candidate.txt': 'x', 'own/file.txt': 'x' })
      const path = `${join(home, 'tools/bin')}:${machine.path}`
      const found = await isolateLocally({ ...machine, path }, anEvaluation())
      if (found.isolation === undefined) throw new Error(JSON.stringify(found))
      const own = join(folders.cache, 'own')
      await found.isolation.give(own)
      const outcome = await runGroup({
        argv: ['/bin/sh', '-c', `measure; ls -A ${home} ${folders.cache} ${repository.folder}; ls`],
        cwd: own,
        env: { PATH: path },
        timeoutMs: 20_000,
        maxOutputBytes: 10_000,
        enclosure: { isolation: found.isolation, own, readOnly: [] },
      })
      const seen = outcome.stdout.split('\n').filter((line) => line !== '' && !line.endsWith(':'))
      expect(seen.sort()).toEqual(['file.txt', 'measured', 'own', 'tools'])
      await found.isolation.remove(own)
    },
  )
})
