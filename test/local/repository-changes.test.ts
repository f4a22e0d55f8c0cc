import { describe, expect, it } from 'vitest'
import { aCli } from '../support/cli.ts'
import { anExample, EXAMPLE_FILES, exampleConfig } from '../support/example.ts'
import { aFolder, git } from '../support/repository.ts'

const STATE = 'refs/heads/loreley/state'
// Commands from outside, run by an evaluator that is not isolated: so they hit the campaign at a known moment.
const UNISOLATED = exampleConfig('limits: { candidates: 6, parallel: 1 }\n').replace(
  'baseline_runs: 2',
  'baseline_runs: 2, isolation: none',
)

/** An example whose evaluator runs a line in the repository, from the given evaluation on. */
async function anExampleThat(line: string, from: number): Promise<string> {
  const folder = aFolder()
  const counter = `${aFolder()}/count`
  const disturb = `echo x >> ${counter}
if [ "$(wc -l < ${counter})" -ge ${from} ]; then (cd ${folder}; ${line}) > /dev/null 2>&1; fi
`
  const { 'evaluate.sh': evaluator = '' } = EXAMPLE_FILES
  return await anExample(
    { '.loreley.yml': UNISOLATED, 'evaluate.sh': evaluator.replace('#!/bin/sh\n', `#!/bin/sh\n${disturb}`) },
    folder,
  )
}

const missing = (folder: string): string => git(folder, 'fsck', '--connectivity-only', '--no-dangling')

describe('a repository that somebody changes while a campaign runs', () => {
  it.each([
    ['moved back', `git update-ref ${STATE} ${STATE}~2`, 'was moved back'],
    ['moved to another history', `git update-ref ${STATE} HEAD`, 'was moved back'],
    ['deleted', `git update-ref -d ${STATE}`, 'was deleted'],
  ])('a run whose state branch is %s stops with a clear message', async (_case, line, says) => {
    const folder = await anExampleThat(line, 5)
    const { exitCode, stderr } = await aCli().run(folder, 'run')
    expect(stderr).toContain(`The branch loreley/state ${says} while the campaign default ran.`)
    expect(stderr).toContain('git branch -f loreley/state')
    expect(exitCode).toBe(1)
  })

  it('a run whose objects are pruned stops with a clear message and blames no agent', async () => {
    const folder = await anExampleThat('git gc -q --prune=now', 5)
    const cli = aCli()
    const { exitCode, stdout, stderr } = await cli.run(folder, 'run')
    expect(stderr).toMatch(/The repository has no (blob|tree|commit) [0-9a-f]{40}\./)
    expect(stderr).toContain('git gc --prune=now')
    expect(exitCode).toBe(1)
    expect(stdout).not.toContain('agent')
    expect(missing(folder)).toBe('')
  })

  it('a campaign goes on after its objects were pruned once', async () => {
    const folder = await anExampleThat('test -e pruned || { git gc -q --prune=now; touch pruned; }', 5)
    const cli = aCli()
    expect((await cli.run(folder, 'run')).exitCode).toBe(1)
    const { exitCode, stdout } = await cli.run(folder, 'run')
    expect(exitCode).toBe(0)
    expect(stdout).not.toContain('agent')
    expect(missing(folder)).toBe('')
  })
})
