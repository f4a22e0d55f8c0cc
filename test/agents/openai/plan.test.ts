import { describe, expect, it, onTestFinished } from 'vitest'
import { createOpenAiAgent } from '../../../src/agents/openai/agent.ts'
import { anAgentConfig, MODEL } from '../../support/agents/agent-config.ts'
import { startOpenAiServer, type Turn } from '../../support/agents/openai-server.ts'
import { aTask, withWorkspace } from '../offline/workspace.ts'
import { call, FILES, KEY } from './support.ts'

async function anAgent(script: readonly Turn[]) {
  const server = await startOpenAiServer(script)
  onTestFinished(() => server.close())
  const { openai, limits } = anAgentConfig({ base_url: server.url, tries: 2 })
  if (openai === undefined) throw new Error('the config has no openai')
  const models = [
    { ...MODEL, name: 'strong', for: 'plan' as const },
    { ...MODEL, name: 'cheap', for: 'code' as const, price: undefined },
  ]
  const agent = createOpenAiAgent({ config: { ...openai, models }, limits, key: KEY, firstWaitMs: 1 })
  return { agent, server }
}

describe('planning', () => {
  it('looks with reading tools only, and gives the plan in Markdown', async () => {
    const { agent, server } = await anAgent([
      call('read_file', { path: 'src/a.js' }),
      { text: '## Plan\n\n1. Make a larger.' },
    ])
    const plan = await withWorkspace(FILES, {}, (workspace) => agent.plan(aTask(workspace, 1)))
    expect(plan).toEqual({ text: '## Plan\n\n1. Make a larger.', model: 'strong' })
    const names = server.asked[0]?.body.tools?.map((tool) => tool.function.name)
    expect(names).toEqual(['list_files', 'search_text', 'read_file', 'repo_map'])
    expect(server.asked[0]?.body.messages[1]?.content).toContain('src/a.js')
  })

  it('a planner that gets nowhere leaves the coder without a plan', async () => {
    const { agent } = await anAgent([{ refusal: 'no' }])
    const plan = await withWorkspace(FILES, {}, (workspace) => agent.plan(aTask(workspace, 1)))
    expect(plan).toEqual({ text: '', model: 'strong' })
  })
})

describe('health', () => {
  it('the health check asks each model one short question', async () => {
    const { agent, server } = await anAgent([{ text: 'yes' }])
    expect(await agent.checkHealth(new AbortController().signal)).toEqual([
      { what: 'model strong', ok: true, detail: 'answers; priced' },
      { what: 'model cheap', ok: true, detail: 'answers; no price given, so its tokens stay unpriced' },
    ])
    expect(server.asked.map(({ body }) => body.max_completion_tokens)).toEqual([64, 64])
  })

  it('the health check fails when the endpoint refuses the key', async () => {
    const { agent } = await anAgent([{ status: 401, message: 'wrong key' }])
    const [health] = await agent.checkHealth(new AbortController().signal)
    expect(health).toMatchObject({ ok: false, detail: expect.stringContaining('401 wrong key') })
  })
})
