import { describe, expect, it, onTestFinished } from 'vitest'
import { startOpenAiServer, type Turn } from '../support/agents/openai-server.ts'
import { aCli } from '../support/cli.ts'
import { anExample, exampleConfig } from '../support/example.ts'
import { git } from '../support/repository.ts'

const withAgent = (agent: string) => anExample({ '.loreley.yml': exampleConfig(`agent: ${agent}\n`) })

async function anEndpoint(script: readonly Turn[]) {
  const server = await startOpenAiServer(script)
  onTestFinished(() => server.close())
  return {
    server,
    agent: `{ use: openai, openai: { base_url: "${server.url}", models: [{ name: small }] } }`,
  }
}

describe('loreley run', () => {
  it('a missing key is reported before anything is done', async () => {
    const { agent, server } = await anEndpoint([{ text: 'yes' }])
    const folder = await withAgent(agent)
    const { exitCode, stderr } = await aCli().run(folder, 'run')
    expect(exitCode).toBe(1)
    expect(stderr).toContain('the environment variable OPENAI_API_KEY is not set')
    expect(stderr).toContain('[agent-unavailable]')
    expect(server.asked).toEqual([])
    expect(git(folder, 'branch', '--list', 'loreley/*')).toBe('')
  })
})

describe('loreley doctor', () => {
  it('asks the model one short question', async () => {
    const { agent, server } = await anEndpoint([{ text: 'yes' }])
    const cli = aCli({ OPENAI_API_KEY: 'some-test-key' })
    const { exitCode, stdout } = await cli.run(await withAgent(agent), 'doctor')
    expect(stdout).toContain('ok   model small: answers; no price given')
    expect(exitCode).toBe(0)
    expect(server.asked).toHaveLength(1)
  })

  it('tells what is missing, for people and for machines', async () => {
    const folder = await withAgent('{ use: command, command: { code: no-such-tool --go } }')
    const people = await aCli().run(folder, 'doctor')
    expect(people.stdout).toContain('fail program no-such-tool: is not in PATH')
    expect(people.exitCode).toBe(1)
    const { stdout } = await aCli().run(folder, 'doctor', '--json')
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ what: 'program no-such-tool', ok: false }),
    )
  })
})
