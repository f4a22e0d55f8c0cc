import { rm } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { openMachine } from '../../src/entrypoints/action/runner.ts'
import { isolateOnRunner } from '../../src/entrypoints/action/runner-isolation.ts'
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
