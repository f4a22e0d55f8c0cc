import { describe, expect, it } from 'vitest'
import { MODEL } from '../../support/agents/agent-config.ts'
import { call, DONE, EDIT, play } from './support.ts'

describe('what a candidate costs', () => {
  it('a candidate is priced by the config, cached input separately', async () => {
    const { task } = await play([
      { ...EDIT, usage: [1000, 100, 400] },
      { ...DONE, usage: [2000, 50] },
    ])
    // 600 × 1 + 400 × 0.5 + 100 × 10, then 2000 × 1 + 50 × 10, all per million.
    expect(task.meter.usage.tokens).toBe(3150)
    expect(task.meter.usage.dollars).toBeCloseTo(0.0018 + 0.0025, 12)
    expect(task.meter.usage.unpricedTokens).toBeUndefined()
  })

  it('tokens are unpriced, never free, when the price is unknown', async () => {
    const models = [{ ...MODEL, price: undefined }]
    const { task } = await play([EDIT, DONE], { config: { models } })
    expect(task.meter.usage).toEqual({ tokens: 220, dollars: 0, unpricedTokens: 220 })
  })

  it('tokens are estimated when the endpoint does not count or a stream breaks', async () => {
    const silent = await play([
      { ...EDIT, usage: false },
      { ...DONE, usage: false },
    ])
    expect(silent.task.meter.usage.tokens).toBeGreaterThan(1000)
    const cut = await play([{ fault: 'cut' }, { ...EDIT, usage: [1, 1] }, { ...DONE, usage: [1, 1] }])
    expect(cut.task.meter.usage.tokens).toBeGreaterThan(500)
  })

  it('stays below the limit of tokens', async () => {
    const { outcome, task } = await play(
      (_asked, turn) => ({ ...call('read_file', { path: 'src/a.js', from: turn + 1 }), usage: [3000, 100] }),
      {
        limits: { tokens: 20_000 },
      },
    )
    expect(outcome).toMatchObject({ reason: expect.stringContaining('agent.limits.tokens (20000)') })
    expect(task.meter.usage.tokens).toBeLessThanOrEqual(20_000)
  })

  it('stays below the limit of dollars', async () => {
    const { outcome, asked } = await play([EDIT, DONE], { limits: { dollars: 0.01 } })
    expect(outcome).toMatchObject({ reason: expect.stringContaining('agent.limits.dollars (0.01)') })
    expect(asked).toEqual([])
  })

  it('the agent may write only so many bytes', async () => {
    const { asked, files } = await play(
      [call('write_file', { path: 'src/c.js', content: 'x'.repeat(2000) }), EDIT, DONE],
      { limits: { bytes: 1000 } },
    )
    expect(asked.at(-1)?.body.messages.find(({ role }) => role === 'tool')?.content).toContain(
      'write budget is used up',
    )
    expect(Object.keys(files)).toEqual(['src/a.js', 'src/b.js'])
  })
})

describe('models', () => {
  const models = [
    { ...MODEL, name: 'planner', for: 'plan' as const },
    { ...MODEL, name: 'often', for: 'code' as const, weight: 9 },
    { ...MODEL, name: 'seldom', for: 'code' as const, weight: 1 },
  ]

  it('models are chosen by weight among those that may code', async () => {
    const chosen: string[] = []
    for (let seed = 0; seed < 20; seed++) {
      const { outcome } = await play([EDIT, DONE], { config: { models }, seed })
      chosen.push(outcome.status === 'changed' ? (outcome.model ?? '') : '')
    }
    expect(chosen.filter((name) => name === 'often').length).toBeGreaterThan(12)
    expect(chosen).not.toContain('planner')
  })

  it('a custom chooser replaces the weights', async () => {
    const { outcome } = await play([EDIT, DONE], {
      config: { models },
      options: { chooseModel: (choices) => choices.at(-1) },
    })
    expect(outcome).toMatchObject({ model: 'seldom' })
  })
})
