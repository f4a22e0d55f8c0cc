import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../src/agents/agent.ts'
import { anAgent } from '../../support/agents/agents.ts'
import { aRepository, git, writeFiles } from '../../support/repository.ts'
import { aWorkbench } from '../../support/workbench.ts'

const bench = () => aWorkbench(aRepository({ 'src/a.js': 'a = 1\n', 'evaluate.sh': 'echo 1\n' }))
const GATE = { name: 'no bugs', command: '! grep -n BUG src/a.js', timeoutSeconds: 20 }

/** An agent that writes the next text on each pass, and remembers what it was told. */
function aLearner(
  texts: readonly string[],
  path = 'src/a.js',
): { agent: Agent; told: (string | undefined)[] } {
  const told: (string | undefined)[] = []
  const agent = anAgent((folder, { rework }) => {
    writeFiles(folder, { [path]: texts[told.length] ?? '' })
    told.push(rework)
  })
  return { agent: { ...agent, canRework: true }, told }
}

describe('work that is refused', () => {
  it('work that a gate refuses is mended in a second pass, which is told what the gate said', async () => {
    const { propose, source } = await bench()
    const { agent, told } = aLearner(['a = 2 // BUG\n', 'a = 2\n'])
    const proposal = await propose(agent, { checks: { gates: [GATE] } })
    if (proposal.status !== 'proposed') throw new Error(JSON.stringify(proposal))
    expect(told).toEqual([undefined, 'no bugs: exit code 1\n1:a = 2 // BUG'])
    expect(git(source, 'show', `${proposal.tree}:src/a.js`)).toBe('a = 2')
    expect(proposal.transcript).toContain('## refused\n\nno bugs: exit code 1')
    expect(proposal.usage.tokens).toBe(5)
  })

  it('work that the guard refuses is mended in a second pass too', async () => {
    const { propose } = await bench()
    const agent: Agent = {
      ...anAgent((folder, { rework }) =>
        writeFiles(
          folder,
          rework ? { 'evaluate.sh': 'echo 1\n', 'src/a.js': 'a = 2\n' } : { 'evaluate.sh': 'echo 9\n' },
        ),
      ),
      canRework: true,
    }
    expect(await propose(agent)).toMatchObject({ status: 'proposed' })
  })

  it('refused work gets one second pass and no more', async () => {
    const { propose } = await bench()
    const { agent, told } = aLearner(['BUG 1\n', 'BUG 2\n', 'fine\n'])
    const proposal = await propose(agent, { checks: { own: GATE, gates: [] } })
    expect(told).toHaveLength(2)
    // Handed on as it is: the evaluation has the last word.
    expect(proposal.status).toBe('proposed')
  })

  it('an agent that cannot learn gets no second pass', async () => {
    const { propose } = await bench()
    const { agent, told } = aLearner(['BUG\n'])
    await propose({ ...agent, canRework: false }, { checks: { gates: [GATE] } })
    expect(told).toHaveLength(1)
  })
})

describe('checks', () => {
  it('checks leave nothing behind in the candidate', async () => {
    const { propose, source, tree } = await bench()
    const { agent } = aLearner(['a = 2\n'])
    const own = { name: 'messy', command: 'echo x > src/left.js', timeoutSeconds: 20 }
    const proposal = await propose(agent, { checks: { own, gates: [] } })
    if (proposal.status !== 'proposed') throw new Error(JSON.stringify(proposal))
    expect(git(source, 'diff-tree', '-r', '--name-only', tree, proposal.tree)).toBe('src/a.js')
    expect(proposal.card).toEqual({
      files: 1,
      highlights: [{ path: 'src/a.js', linesAdded: 1, linesRemoved: 1 }],
    })
  })

  it('checks tell the agent nothing of what `evaluation.environment` gave them', async () => {
    const { propose } = await bench()
    const { agent, told } = aLearner(['a = 2\n', 'a = 3\n'])
    const own = { name: 'loud', command: 'echo "with $KEY"; exit 1', timeoutSeconds: 20 }
    await propose(agent, { checks: { own, gates: [] }, environment: { KEY: 'registry-pass' } })
    expect(told[1]).toBe('loud: exit code 1\nwith [secret]')
  })

  it('an agent can run its check itself, on the files as they are', async () => {
    const { propose } = await bench()
    const outcomes: unknown[] = []
    const agent = anAgent(async (folder, { workspace, signal }) => {
      writeFiles(folder, { 'src/a.js': 'BUG\n' })
      outcomes.push(await workspace.check?.(signal))
      writeFiles(folder, { 'src/a.js': 'fine\n' })
      outcomes.push(await workspace.check?.(signal))
    })
    await propose(agent, { checks: { own: GATE, gates: [] } })
    expect(outcomes).toMatchObject([{ passed: false }, { passed: true }])
  })
})

it('keeps what an agent was given in confidence out of all that it says', async () => {
  const { propose } = await bench()
  const key = 'secret-1234567890'
  const agent: Agent = {
    ...anAgent(
      (folder, { transcript }) => {
        writeFiles(folder, { 'src/a.js': 'a = 3\n' })
        transcript.add('reply', `my key is ${key}`)
      },
      { summary: `use ${key}` },
    ),
    secrets: [key],
  }
  const proposal = await propose(agent)
  expect(proposal).toMatchObject({
    summary: 'use [secret]',
    transcript: '## reply\n\nmy key is [secret]\n\n',
  })
})
