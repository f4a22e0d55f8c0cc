import { describe, expect, it } from 'vitest'
import { Transcript } from '../../../src/agents/transcript.ts'
import { MODEL } from '../../support/agents/agent-config.ts'
import type { Turn } from '../../support/agents/openai-server.ts'
import { call, DONE, EDIT, FILES, KEY, lastResults, play } from './support.ts'

const CHANGED = { status: 'changed', summary: 'make a larger' }

describe('an endpoint that fails for a while', () => {
  it.each<[string, Turn]>([
    ['429 with retry-after', { status: 429, headers: { 'retry-after': '0' } }],
    ['429 with retry-after-ms', { status: 429, headers: { 'retry-after-ms': '1' } }],
    ['429 without', { status: 429 }],
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['a reset connection', { fault: 'reset' }],
    ['a cut stream', { fault: 'cut' }],
    ['no answer at all', { fault: 'hang' }],
    ['a stream that falls silent', { fault: 'silent-stream' }],
  ])('asks the endpoint again after %s', async (_name, fault) => {
    const { outcome, asked } = await play([fault, EDIT, fault, DONE])
    expect(outcome).toMatchObject(CHANGED)
    expect(asked).toHaveLength(4)
  })

  it('gives up on an endpoint after the configured tries, and says why', async () => {
    const failing = play([{ status: 500, message: 'overloaded' }], { config: { tries: 2 } })
    await expect(failing).rejects.toMatchObject({
      code: 'agent-unavailable',
      message: expect.stringContaining('500 overloaded (after 2 tries)'),
    })
  })

  it.each([401, 403, 404, 400])('does not ask the endpoint again after %d', async (status) => {
    let count = 0
    const failing = play(() => {
      count++
      return { status, message: 'no' }
    })
    await expect(failing).rejects.toMatchObject({ code: 'agent-unavailable' })
    expect(count).toBe(1)
  })

  it('does not wait when the quota is used up', async () => {
    const failing = play([{ status: 429, code: 'insufficient_quota' }])
    await expect(failing).rejects.toThrow('after 1 try')
  })
})

describe('a model that misbehaves', () => {
  it('tells the model about malformed, unknown and wrong calls, and continues', async () => {
    const { outcome, asked } = await play([
      call('edit_file', '{"path": "src/a.js", '),
      call('run_shell', { line: 'rm -rf /' }),
      call('read_file', { file: 'src/a.js' }),
      EDIT,
      DONE,
    ])
    const [malformed, unknown, wrong] = lastResults(asked)
    expect(malformed).toContain('not valid JSON')
    expect(unknown).toContain('there is no tool run_shell; there are list_files')
    expect(wrong).toContain('wrong arguments')
    expect(outcome).toMatchObject(CHANGED)
  })

  it('stops the model when no call works any more', async () => {
    const { outcome, asked } = await play((_asked, turn) => call('edit_file', `nonsense ${turn}`))
    expect(outcome).toEqual({ status: 'unchanged', reason: '5 turns in a row had no tool call that worked' })
    expect(asked).toHaveLength(5)
  })

  it('stops the model when it repeats itself', async () => {
    const { outcome } = await play([call('read_file', { path: 'src/a.js' })])
    expect(outcome).toEqual({ status: 'unchanged', reason: 'the model made the same call 4 times' })
  })

  it('stops the model at the turn limit and keeps its work', async () => {
    const { outcome, files } = await play(
      (_asked, turn) => (turn === 0 ? EDIT : call('read_file', { path: 'src/a.js', from: turn })),
      { limits: { turns: 3 } },
    )
    expect(outcome).toMatchObject({
      status: 'changed',
      summary: 'stopped early: agent.limits.turns (3) is reached',
    })
    expect(files['src/a.js']).toBe('export const a = 3\n')
  })

  it("a refusal ends the work at once, with the model's words", async () => {
    const { outcome, asked } = await play([{ refusal: 'I will not.' }])
    expect(outcome).toEqual({ status: 'unchanged', reason: 'the model refused: I will not.' })
    expect(asked).toHaveLength(1)
  })

  it('a silent model is asked once more, then given up', async () => {
    const { outcome, asked } = await play([{ text: '' }])
    expect(outcome).toEqual({ status: 'unchanged', reason: 'the model said nothing useful' })
    expect(asked).toHaveLength(2)
  })

  it('a model that only talks is nudged once, then its answer is the reason', async () => {
    const { outcome } = await play([{ text: 'I would change a.' }, { text: 'Nothing can be better.' }])
    expect(outcome).toEqual({ status: 'unchanged', reason: 'Nothing can be better.' })
  })

  it('a key that the model repeats stays out of the transcript', async () => {
    const secret = `sk-${'x'.repeat(40)}`
    const leak = call('write_file', { path: 'src/k.js', content: `const key = '${secret}'` })
    const { task } = await play([leak, { text: `the keys are ${KEY} and ${secret}` }], {
      task: { transcript: new Transcript([KEY]) },
    })
    const said = task.transcript.text() ?? ''
    expect(said).toContain('the keys are [secret] and [secret]')
    expect(said).not.toContain(secret)
    expect(said).not.toContain(KEY)
  })
})

describe('a conversation that grows too long', () => {
  const LONG = { ...FILES, 'src/long.js': '// words\n'.repeat(600) }
  const reading = (_asked: unknown, turn: number): Turn =>
    turn < 12 ? call('read_file', { path: 'src/long.js', from: turn + 1 }) : turn === 12 ? EDIT : DONE

  it('shortens the conversation before the context is full', async () => {
    const models = [{ ...MODEL, contextTokens: 12_000, maxOutputTokens: 500 }]
    const { outcome, asked } = await play(reading, { files: LONG, config: { models } })
    expect(outcome).toMatchObject(CHANGED)
    const sizes = asked.map(({ body }) => JSON.stringify(body.messages).length / 4)
    expect(Math.max(...sizes)).toBeLessThan(12_000)
    expect(lastResults(asked)[0]).toMatch(/^\[left out to save room: \d+ characters\]$/)
    expect(asked.at(-1)?.body.messages[1]?.content).toContain('## Goal')
  })

  it('shortens the conversation when the endpoint says so, and sends it again', async () => {
    let refused = 0
    const { outcome } = await play(
      (asked, turn) => {
        const tooLong = JSON.stringify(asked.body.messages).length > 40_000
        if (tooLong) refused++
        return tooLong ? { status: 400, code: 'context_length_exceeded' } : reading(asked, turn - refused)
      },
      { files: LONG },
    )
    expect(refused).toBeGreaterThan(0)
    expect(outcome).toMatchObject(CHANGED)
  })

  it('ends in words when nothing can be left out', async () => {
    const { outcome } = await play([{ status: 400, code: 'context_length_exceeded', message: 'too long' }])
    expect(outcome).toMatchObject({ status: 'unchanged', reason: expect.stringContaining('too long') })
  })
})
