import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openMachine } from '../../src/entrypoints/action/runner.ts'
import { isolateOnRunner } from '../../src/entrypoints/action/runner-isolation.ts'
import { allowUserNamespaces } from '../../src/entrypoints/action/user-namespaces.ts'
import { aFolder } from '../support/repository.ts'
import { anEvaluation } from '../support/workbench.ts'

async function aMachine() {
  const machine = await openMachine({ RUNNER_TEMP: aFolder(), PATH: '/nonexistent', HOME: aFolder() })
  onTestFinished(() => rm(machine.folder, { recursive: true, force: true }))
  return machine
}

it('refuses a runner that cannot keep candidates apart', async () => {
  const search = isolateOnRunner(await aMachine(), anEvaluation())
  await expect(search).rejects.toMatchObject({ code: 'isolation-unavailable' })
})

it('takes a runner without isolation when the maintainer has accepted that', async () => {
  expect(await isolateOnRunner(await aMachine(), anEvaluation({ isolation: 'none' }))).toBeUndefined()
})

it.each([
  {
    isHosted: true,
    before: '1\n',
    after: '0\n',
    what: 'lifts the restriction of user namespaces on a machine of GitHub',
  },
  {
    isHosted: true,
    before: '2\n',
    after: '2\n',
    what: 'leaves a setting of user namespaces that it does not know',
  },
  {
    isHosted: false,
    before: '1\n',
    after: '1\n',
    what: 'leaves the user namespaces of a maintainer\u2019s own machine',
  },
])('$what', async ({ isHosted, before, after }) => {
  const file = join(aFolder(), 'restriction')
  await writeFile(file, before)
  await allowUserNamespaces({ isHosted, path: process.env.PATH ?? '' }, file)
  expect(await readFile(file, 'utf8')).toBe(after)
})

it('changes nothing on a machine without the restriction', async () => {
  const file = join(aFolder(), 'missing')
  await allowUserNamespaces({ isHosted: true, path: process.env.PATH ?? '' }, file)
  await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' })
})
