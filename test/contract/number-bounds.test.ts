import { describe, expect, it } from 'vitest'
import { readUsage } from '../../src/agents/command/usage.ts'
import { Meter } from '../../src/agents/meter.ts'
import { ReplyBuilder } from '../../src/agents/openai/reply.ts'
import { findCommand } from '../../src/app/people/command-syntax.ts'
import { findConfigProblems } from '../../src/config/file/parse.ts'
import { addUsage } from '../../src/core/budget/budget.ts'
import { MOST_REPORTED } from '../../src/core/number-bounds.ts'
import { createCommandEmbedder } from '../../src/embedding/embedders/command.ts'
import { parseMetrics } from '../../src/pipeline/measuring/metrics.ts'
import { readProposal } from '../../src/protocol/proposal.ts'
import { readResult } from '../../src/protocol/result.ts'
import { SMALLEST } from '../config/examples.ts'
import { aProposal, aResultDocument, bytesOf } from '../support/artifacts.ts'
import { aCli } from '../support/cli.ts'
import { aFolder } from '../support/repository.ts'

const HUGE = 1e308

// Every number that enters from outside, by name. Sums of numbers near the end of a double's range are Infinity, which
// JSON stores as null: the next load would refuse the state.
describe('a number of 1e308 from outside', () => {
  it.each([
    ['limits.tokens', 'limits: { tokens: 1e13 }'],
    ['limits.dollars', 'limits: { dollars: 1e308 }'],
    ['limits.runner_minutes', 'limits: { runner_minutes: 1e308 }'],
    ['limits.wall_clock_minutes', 'limits: { wall_clock_minutes: 1e308 }'],
    ['limits.candidates', 'limits: { candidates: 1e7 }'],
    ['limits.candidates_per_day', 'limits: { candidates_per_day: 1e15 }'],
    ['limits.checkpoint', 'limits: { checkpoint: 1e15 }'],
    ['limits.same_failure', 'limits: { same_failure: 1e15 }'],
    ['limits.parallel', 'limits: { parallel: 1e9 }'],
    ['agent.limits.tokens', 'agent: { limits: { tokens: 1e15 } }'],
    ['agent.limits.dollars', 'agent: { limits: { dollars: 1e308 } }'],
    ['agent.limits.bytes', 'agent: { limits: { bytes: 1e15 } }'],
    [
      'agent.openai.models[0].price.input',
      'agent: { openai: { models: [{ name: m, price: { input: 1e308, output: 1 } }] } }',
    ],
    [
      'agent.openai.models[0].price.output',
      'agent: { openai: { models: [{ name: m, price: { input: 1, output: 1e308 } }] } }',
    ],
    [
      'agent.openai.models[0].price.cached_input',
      'agent: { openai: { models: [{ name: m, price: { input: 1, output: 1, cached_input: 1e308 } }] } }',
    ],
    [
      'search.embedder.dollars_per_million_tokens',
      'search: { embedder: { dollars_per_million_tokens: 1e308 } }',
    ],
    ['search.axes[0].max', 'search: { axes: [{ metric: a, min: 0, max: 1e308 }] }'],
  ])('the config refuses it for %s', (path, line) => {
    expect(findConfigProblems(`${SMALLEST}${line}\n`).map((problem) => problem.path)).toEqual([path])
  })

  it.each(['target', 'min', 'max'])('the config refuses it for an objective as %s', (key) => {
    const text = SMALLEST.replace('direction: maximize', `direction: maximize, ${key}: -1e308`)
    expect(findConfigProblems(text)).toMatchObject([{ path: `objectives[0].${key}` }])
  })

  it.each(['candidates', 'dollars', 'tokens', 'runner_minutes', 'parallel'])(
    'the command /loreley budget refuses it for %s',
    (what) => {
      expect(findCommand(`/loreley budget ${what} 1e308`)).toMatchObject({ status: 'unknown' })
    },
  )

  it.each([
    ['run', '--parallel', '1e9'],
    ['run', '--candidates', '1e308'],
    ['run', '--seed', '1e308'],
    ['sandbox', '--parallel', '1e9'],
    ['sandbox', '--port', '65536'],
  ])('the command line refuses %s %s %s', async (...args) => {
    const { exitCode, stderr } = await aCli().run(aFolder(), ...args)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(args[1])
  })

  it("an agent's usage file counts it as the most that can be reported", () => {
    const text = '{"input_tokens":1e308,"output_tokens":1e308,"dollars":1e308}'
    const call = readUsage(text)
    expect(call).toMatchObject({
      inputTokens: MOST_REPORTED,
      outputTokens: MOST_REPORTED,
      dollars: MOST_REPORTED,
    })
    const meter = new Meter()
    if (call !== undefined) for (let turn = 0; turn < 10; turn++) meter.add(call)
    expect(meter.usage).toEqual({ tokens: MOST_REPORTED, dollars: MOST_REPORTED })
  })

  it.each([
    [{ prompt_tokens: HUGE, completion_tokens: HUGE, total_tokens: 0 }, MOST_REPORTED],
    [{ prompt_tokens: -5, completion_tokens: 1, total_tokens: 0 }, undefined],
    [{ prompt_tokens: Number.NaN, completion_tokens: 1, total_tokens: 0 }, undefined],
  ])("an endpoint's count of %j is bounded or ignored", (usage, input) => {
    const reply = new ReplyBuilder()
    const choice = { index: 0, delta: {}, finish_reason: 'stop' as const }
    reply.add({ id: '', created: 0, model: '', object: 'chat.completion.chunk', choices: [choice], usage })
    expect(reply.build()?.tokens?.input).toBe(input)
  })

  it.each(['tokens', 'dollars', 'runnerMs', 'unpricedTokens'])(
    'an artifact may not claim it as %s',
    (key) => {
      const result = aResultDocument()
      expect(readResult(bytesOf({ ...result, usage: { ...result.usage, [key]: HUGE } })).status).toBe(
        'unreadable',
      )
      const { outcome, ...proposal } = aProposal()
      const claimed = { ...outcome, usage: { ...outcome.usage, [key]: HUGE } }
      expect(readProposal(bytesOf({ ...proposal, outcome: claimed })).status).toBe('unreadable')
    },
  )

  it.each([HUGE, -HUGE, 1e101, 1e-308, -1e-101])('an artifact may not hold the metric %d', (value) => {
    const result = aResultDocument()
    const document = { ...result, outcome: { ...result.outcome, metrics: { speed: value } } }
    expect(readResult(bytesOf(document)).status).toBe('unreadable')
  })

  it.each(['1e308', '-1e308', '{"speed":1e308}', '{"speed":1e-308}', 'METRIC speed=1e200'])(
    'an evaluator that prints %s is not readable',
    (stdout) => {
      expect(parseMetrics({ stdout }, 'auto', 'speed')).toEqual({
        status: 'unreadable',
        reason: expect.stringContaining('a metric is too large or too small to calculate with'),
      })
    },
  )

  it.each(['0', '-0', '1e99', '-1e-99'])('an evaluator that prints %s is readable', (stdout) => {
    expect(parseMetrics({ stdout }, 'auto', 'speed').status).toBe('read')
  })

  it('an embedder may not give it as a component', async () => {
    const embedder = createCommandEmbedder(2, async () => ({ output: '[[1e308,1]]' }))
    await expect(embedder.embed(['text'])).rejects.toMatchObject({
      message: expect.stringContaining('no JSON array'),
    })
  })

  it('costs that an older state holds add up to a finite sum', () => {
    const cost = { tokens: HUGE, dollars: HUGE, runnerMs: HUGE, unpricedTokens: HUGE }
    const sum = addUsage(addUsage(cost, cost), cost)
    expect(JSON.parse(JSON.stringify(sum))).toEqual(sum)
    expect(Object.values(sum).every(Number.isFinite)).toBe(true)
  })
})
