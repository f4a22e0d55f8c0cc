import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentTask } from '../../../src/agents/agent.ts'
import { createCommandAgent } from '../../../src/agents/command/agent.ts'
import { readUsage } from '../../../src/agents/command/usage.ts'
import type { CommandConfig } from '../../../src/config/campaign-config.ts'
import { aFolder } from '../../support/repository.ts'
import { aTask, textsIn, withWorkspace } from '../offline/workspace.ts'

const PATH = process.env.PATH ?? ''
const FILES = { 'a.txt': 'one\n' }

interface Given {
  readonly config?: Partial<CommandConfig>
  readonly environment?: Readonly<Record<string, string>>
  readonly task?: Partial<AgentTask>
}

async function run(code: string, { config, environment = {}, task }: Given = {}) {
  return await withWorkspace(FILES, {}, async (workspace) => {
    const agent = createCommandAgent({
      config: { code, brief: 'stdin', environment: [], ...config },
      ...{ timeoutMs: 20_000, path: PATH, environment },
    })
    await mkdir(workspace.scratch)
    const given = { ...aTask(workspace, 1), ...task }
    const plan = await agent.plan(given)
    const outcome = await agent.code(given, plan)
    return { outcome, plan, task: given, texts: await textsIn(workspace.folder, ['a.txt']) }
  })
}

describe('the command agent', () => {
  it('lets a program edit the folder; its last line is the summary', async () => {
    const { outcome, texts } = await run('echo working; echo two >> a.txt; echo "add a line"; echo')
    expect(outcome).toEqual({ status: 'changed', summary: 'add a line' })
    expect(texts['a.txt']).toBe('one\ntwo\n')
  })

  it('gives the brief on stdin, or in a file', async () => {
    const byStdin = await run('cat > a.txt')
    expect(byStdin.texts['a.txt']).toContain('## Goal\n\nBetter.')
    const byFile = await run('cp "$LORELEY_BRIEF" a.txt; cat', { config: { brief: 'file' } })
    expect(byFile.texts['a.txt']).toContain('## Goal\n\nBetter.')
    expect(byFile.outcome).toMatchObject({ summary: '' })
  })

  it('asks another command for the plan, and shows it to the coder', async () => {
    const { plan, texts } = await run('cat > a.txt', { config: { plan: 'echo "- be bold"' } })
    expect(plan.text).toBe('- be bold')
    expect(texts['a.txt']).toContain('## The plan\n\n- be bold')
  })

  it('lets it see the named variables and nothing else of ours', async () => {
    process.env.LORELEY_TEST_HIDDEN = 'hidden'
    const { texts } = await run('env > a.txt', { environment: { MY_KEY: 'k' } })
    delete process.env.LORELEY_TEST_HIDDEN
    expect(texts['a.txt']).toContain('MY_KEY=k')
    expect(texts['a.txt']).not.toContain('hidden')
  })

  it('takes usage from the file it may write, and calls what has no price unpriced', async () => {
    const usage = '{"model":"m","input_tokens":10,"output_tokens":5}'
    const { task } = await run(`echo '${usage}' > "$LORELEY_USAGE"`)
    expect(task.meter.usage).toEqual({ tokens: 15, dollars: 0, unpricedTokens: 15 })
  })

  it('shows a second pass what was wrong with the first', async () => {
    const { texts } = await run('cat > a.txt', { task: { rework: 'the tests fail' } })
    expect(texts['a.txt']).toContain('the tests fail')
  })

  it('fails with what the program said when it fails', async () => {
    await expect(run('echo "no credit left" >&2; exit 3')).rejects.toMatchObject({
      code: 'agent-unavailable',
      message: expect.stringMatching(/exit code 3: no credit left/),
    })
  })

  it('ends a program that hangs, with everything it started', async () => {
    const marker = join(aFolder(), 'late')
    const hanging = run(`(sleep 1; touch ${marker}) & sleep 60`, {
      task: { signal: AbortSignal.timeout(300) },
    })
    await expect(hanging).rejects.toMatchObject({ name: 'TimeoutError' })
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(existsSync(marker)).toBe(false)
  })
})

describe('usage files', () => {
  it.each(['', 'nonsense', '[]', '{"input_tokens":"many"}', '{"input_tokens":-1}'])(
    'a usage file of %j counts as nothing',
    (text) => {
      expect(readUsage(text)).toBeUndefined()
    },
  )
})

describe('its health', () => {
  it('the health check looks for programs and variables', async () => {
    const folder = aFolder()
    await writeFile(join(folder, 'coder'), '#!/bin/sh\n')
    await chmod(join(folder, 'coder'), 0o755)
    const config = {
      code: 'A=1 coder --fast',
      plan: 'planner -',
      brief: 'stdin',
      environment: ['K'],
    } as const
    const agent = createCommandAgent({ config, timeoutMs: 1, path: folder, environment: {} })
    expect(await agent.checkHealth(new AbortController().signal)).toEqual([
      { what: 'program coder', ok: true, detail: `is ${join(folder, 'coder')}` },
      { what: 'program planner', ok: false, detail: 'is not in PATH' },
      { what: 'variable K', ok: false, detail: 'is not set' },
    ])
  })
})
