import { readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { rngFor } from '../../../src/core/rng.ts'
import { aCli, findEvaluatorProcesses, findWorkFolders } from '../../support/cli.ts'
import { anExample, EXAMPLE_FILES } from '../../support/example.ts'
import { git } from '../../support/repository.ts'

const KILLS = 20
// The root, forty candidates, and the winner once more are 42 lines.
const RUN = ['run', '--candidates', '40', '--parallel', '4']

// Some of its time asleep, so that kills meet evaluators that are running.
const SLEEPY = { 'evaluate.sh': `sleep 0.1\n${EXAMPLE_FILES['evaluate.sh']}` }

function show(folder: string, path: string): string {
  return git(folder, 'show', `loreley/state:campaigns/default/${path}`)
}

it('ends with the same archive when it is killed 20 times and carried on each time', {
  timeout: 240_000,
}, async () => {
  const cli = aCli()
  const reference = await anExample(SLEEPY)
  expect((await cli.run(reference, ...RUN)).exitCode).toBe(0)

  const folder = await anExample(SLEEPY)
  const rng = rngFor(1, 0, 'kill')
  let running = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const host = cli.start(folder, ...RUN)
    // Half of the kills come at some moment of the start, the others while candidates are under way.
    if (kill % 2 === 0) await host.said('Campaign')
    await delay(rng.int(kill % 2 === 0 ? 400 : 900))
    running += findEvaluatorProcesses(cli.cache).length
    host.child.kill('SIGKILL')
    expect((await host.ended).signal).toBe('SIGKILL')
  }
  // Where none was running, no kill would have had an evaluator to end.
  expect(running).toBeGreaterThan(0)

  const last = await cli.run(folder, ...RUN)
  expect(last.stderr).toBe('')
  expect(last.exitCode).toBe(0)
  expect(show(folder, 'archive.json')).toBe(show(reference, 'archive.json'))
  const ordinals = show(folder, 'ledger/000.jsonl')
    .split('\n')
    .map((line) => JSON.parse(line).ordinal)
  expect(ordinals).toEqual(Array.from({ length: 42 }, (_, ordinal) => ordinal))
  const elites = (at: string): string => git(at, 'for-each-ref', 'refs/heads/loreley/elite')
  expect(elites(folder)).toBe(elites(reference))
  expect(findEvaluatorProcesses(cli.cache)).toEqual([])
  expect(findWorkFolders(cli.cache)).toEqual([])
  expect(readdirSync(cli.temp)).toEqual([])
  expect(git(folder, 'fsck', '--strict', '--no-dangling')).toBe('')
})
