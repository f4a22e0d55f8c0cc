import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { aCampaign } from '../support/builders.ts'
import { aRepository, git, gitEnvironment } from '../support/repository.ts'
import { aStore, commit, load } from '../support/store.ts'

const WRITES = 200
const script = fileURLToPath(new URL('./count-up.ts', import.meta.url))

/** Runs a writer in a process of its own; gives how often the other one came first. */
async function countUp(folder: string, writer: string): Promise<number> {
  const args = ['--import', 'tsx', script, folder, `${WRITES}`, writer]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: gitEnvironment })
  return Number(stdout)
}

it('two processes that write at once lose no write', { timeout: 300_000 }, async () => {
  const folder = aRepository()
  await commit(await aStore(folder), undefined, aCampaign())
  const conflicts = await Promise.all([countUp(folder, 'one'), countUp(folder, 'two')])
  const subjects = git(folder, 'log', '--reverse', '--format=%s', 'loreley/state').split('\n').slice(1)
  expect(subjects).toHaveLength(2 * WRITES)
  const numbers = subjects.map((subject) => Number(subject.split(' ')[1]))
  expect(numbers).toEqual(Array.from({ length: 2 * WRITES }, (_, index) => index + 1))
  for (const writer of ['one', 'two']) {
    expect(subjects.filter((subject) => subject.startsWith(writer))).toHaveLength(WRITES)
  }
  expect((await load(await aStore(folder))).state.campaign.used.tokens).toBe(2 * WRITES)
  // They did meet: without a conflict this would show nothing.
  expect(Math.max(...conflicts)).toBeGreaterThan(0)
})
