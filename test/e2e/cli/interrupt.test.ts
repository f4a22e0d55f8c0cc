import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { aCli, findEvaluatorProcesses, findWorkFolders, type RunningCli } from '../../support/cli.ts'
import { anExample, exampleConfig } from '../../support/example.ts'
import { git } from '../../support/repository.ts'

// What a terminal does at Ctrl-C: every process of the foreground group gets the signal.
function pressCtrlC({ pid }: RunningCli): void {
  process.kill(-pid, 'SIGINT')
}

describe('Ctrl-C', () => {
  it('stops cleanly, leaves no process and no folder, and the next run carries on', async () => {
    const folder = await anExample()
    const cli = aCli()
    const running = cli.start(folder, 'run', '--candidates', '8', '--parallel', '2')
    await running.said('default-0002')
    pressCtrlC(running)
    const outcome = await running.ended
    expect(outcome.stderr).toContain('Stopping')
    expect(outcome.stderr).not.toContain('error')
    expect(outcome.exitCode).toBe(130)
    expect(findEvaluatorProcesses(cli.cache)).toEqual([])
    expect(findWorkFolders(cli.cache)).toEqual([])
    const next = await cli.run(folder, 'run', '--candidates', '8')
    expect(next.exitCode).toBe(0)
    expect(next.stdout).toContain('continues')
    const reference = await anExample()
    await cli.run(reference, 'run', '--candidates', '8')
    const archive = 'loreley/state:campaigns/default/archive.json'
    expect(git(folder, 'show', archive)).toBe(git(reference, 'show', archive))
  })

  it('stops a set-up as well, which is no fault of the set-up', async () => {
    const mark = join(aCli().temp, 'started')
    const evaluation = `evaluation: { command: sh evaluate.sh, setup: "touch ${mark}; sleep 60" }`
    const config = exampleConfig().replace(/evaluation: .*/, evaluation)
    const folder = await anExample({ '.loreley.yml': config })
    const cli = aCli()
    const running = cli.start(folder, 'run')
    while (!existsSync(mark)) await delay(20)
    pressCtrlC(running)
    const outcome = await running.ended
    expect(outcome.exitCode).toBe(130)
    expect(outcome.stderr).not.toContain('evaluator-setup-failed')
    expect(findEvaluatorProcesses(cli.cache)).toEqual([])
    expect(git(folder, 'for-each-ref', 'refs/heads/loreley')).toBe('')
  })
})

describe('a reader that goes away', () => {
  it('stops the run cleanly too, without a word of protest', async () => {
    const folder = await anExample()
    const cli = aCli()
    const running = cli.start(folder, 'run', '--candidates', '30')
    await running.said('default-0001')
    running.child.stdout?.destroy()
    const outcome = await running.ended
    expect(outcome.exitCode).toBe(130)
    expect(outcome.stderr).not.toContain('EPIPE')
    expect(findEvaluatorProcesses(cli.cache)).toEqual([])
    expect(findWorkFolders(cli.cache)).toEqual([])
  })
})
