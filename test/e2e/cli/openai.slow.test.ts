import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { commitFolder } from '../../../src/git/new-repository.ts'
import { answerCompetently } from '../../support/agents/competent-exchange.ts'
import { startOpenAiServer } from '../../support/agents/openai-server.ts'
import { aCli, parseLines } from '../../support/cli.ts'
import { aFolder, git, gitEnvironment } from '../../support/repository.ts'

const EXAMPLE = join(import.meta.dirname, '../../../examples/circle-packing')
const KEY = 'a-key-that-nobody-should-see'

/** The example with `agent: openai` on the given endpoint: one model plans, another one codes. */
async function anExampleWith(url: string): Promise<string> {
  const folder = aFolder()
  cpSync(EXAMPLE, folder, { recursive: true })
  const config = join(folder, '.loreley.yml')
  const agent = `agent:
  use: openai
  openai:
    base_url: ${url}
    models:
      - { name: strong, for: plan, price: { input: 2, output: 8 } }
      - { name: cheap, for: code, price: { input: 1, output: 4 } }
`
  writeFileSync(config, readFileSync(config, 'utf8').replace('agent:\n  use: offline\n', agent))
  await commitFolder(folder, 'circle packing', gitEnvironment)
  return folder
}

it('improves three files of an example through a model, end to end', async () => {
  const server = await startOpenAiServer(answerCompetently)
  onTestFinished(() => server.close())
  const folder = await anExampleWith(server.url)
  const cli = aCli({ OPENAI_API_KEY: KEY })

  const run = await cli.run(folder, 'run', '--candidates', '1', '--json')
  expect(run.stderr).toBe('')
  const [candidate] = parseLines(run.stdout).filter(({ ordinal }) => ordinal === 1)
  expect(candidate).toMatchObject({
    verdict: { status: 'admitted' },
    summary: 'start from a grid, relax and grow for longer',
    card: { files: 3 },
    // Nine calls of 100 tokens in and 10 out: two by the planner, seven by the coder.
    usage: { tokens: 990, dollars: expect.closeTo(2 * 0.00028 + 7 * 0.00014, 9) },
  })
  expect(candidate?.metrics).toMatchObject({ sum_radii: expect.closeTo(2.504, 2) })

  const message = git(folder, 'log', '-1', '--format=%B', 'refs/loreley/keep/default/0001')
  expect(message).toMatch(/^start from a grid, relax and grow for longer \[skip ci\]\n/)
  expect(message).toContain('3 files changed:\n- src/layout.js: +')
  expect(message).toContain('Loreley-Model: strong, cheap')

  const transcript = await cli.run(folder, 'show', '1', '--transcript')
  expect(transcript.stdout).toContain('## brief for the planner strong')
  expect(transcript.stdout).toContain('error: the text is not in src/grow.js')
  const everything = git(folder, 'log', '-p', '--all')
  expect(everything + transcript.stdout + run.stdout).not.toContain(KEY)
})
