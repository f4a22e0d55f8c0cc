import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { aCli } from '../support/cli.ts'
import { aFolder, git } from '../support/repository.ts'

// Each bundle is a whole repository after `loreley run --candidates 6` on examples/circle-packing by that version.
const STATES = fileURLToPath(new URL('../fixtures/states', import.meta.url))

it.each(readdirSync(STATES))('a campaign of %s loads, matches its ledger, and continues', async (bundle) => {
  const folder = aFolder()
  git(folder, 'init', '--quiet', '--initial-branch=main')
  git(folder, 'fetch', '--quiet', '--update-head-ok', join(STATES, bundle), 'refs/*:refs/*')
  git(folder, 'checkout', '--quiet', '--force', 'main')
  const cli = aCli()
  const loaded = await cli.run(folder, 'status', '--json')
  expect(JSON.parse(loaded.stdout)).toMatchObject({ campaign: 'default' })
  expect((await cli.run(folder, 'rebuild')).stdout).toContain('byte for byte')
  const run = await cli.run(folder, 'run', '--candidates', '8')
  expect(run).toMatchObject({ exitCode: 0, stderr: '' })
  expect(run.stdout).toContain('Finished after 8 candidates')
  expect((await cli.run(folder, 'rebuild')).stdout).toContain('byte for byte')
})
