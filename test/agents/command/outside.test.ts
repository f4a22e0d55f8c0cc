import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createCommandAgent } from '../../../src/agents/command/agent.ts'
import { aFolder, aRepository, git } from '../../support/repository.ts'
import { aWorkbench } from '../../support/workbench.ts'

const bench = () => aWorkbench(aRepository({ 'src/a.js': 'a = 1\n', 'evaluate.sh': 'echo 1\n' }))

const anAgent = (code: string) =>
  createCommandAgent({
    config: { code, brief: 'stdin', environment: [] },
    ...{ timeoutMs: 20_000, path: process.env.PATH ?? '', environment: {} },
  })

it('takes nothing that a command wrote outside of its folder', async () => {
  const outside = join(aFolder(), 'left.js')
  const { propose, source, tree } = await bench()
  const proposal = await propose(
    anAgent(`echo x > ${outside}; echo y > ../beside.js; echo 'a = 2' > src/a.js`),
  )
  if (proposal.status !== 'proposed') throw new Error(JSON.stringify(proposal))
  expect(existsSync(outside)).toBe(true)
  expect(git(source, 'diff-tree', '-r', '--name-only', tree, proposal.tree)).toBe('src/a.js')
  expect(git(source, 'status', '--porcelain')).toBe('')
})

it('refuses a link to what lies outside, also when the second pass leaves it there', async () => {
  const { propose } = await bench()
  const proposal = await propose(anAgent(`ln -sf ${aFolder()} src/link; date >> src/a.js`))
  expect(proposal).toMatchObject({ status: 'failed', reason: 'guard-blocked', detail: 'symlink: src/link' })
})

it('a candidate fails when its command hangs', async () => {
  const { propose } = await bench()
  const proposal = await propose(anAgent('sleep 60 & sleep 60'), { timeoutMs: 500 })
  expect(proposal).toMatchObject({ status: 'failed', reason: 'agent-failed' })
})
