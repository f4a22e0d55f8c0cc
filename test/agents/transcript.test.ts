import { describe, expect, it } from 'vitest'
import { Meter } from '../../src/agents/meter.ts'
import { Transcript } from '../../src/agents/transcript.ts'

describe('a transcript', () => {
  it('a transcript is undefined while nothing was said', () => {
    expect(new Transcript().text()).toBeUndefined()
  })

  it('keeps no secret, known or of the shape of one', () => {
    const transcript = new Transcript(['hunter2hunter2'])
    transcript.add('reply', `the key is hunter2hunter2, or sk-${'a'.repeat(40)}`)
    expect(transcript.text()).toBe('## reply\n\nthe key is [secret], or [secret]\n\n')
  })

  it('keeps the beginning and the end of a long talk', () => {
    const transcript = new Transcript([], 2000)
    for (let turn = 0; turn < 100; turn++) transcript.add(`turn ${turn}`, 'words '.repeat(20))
    const text = transcript.text() ?? ''
    expect(Buffer.byteLength(text)).toBeLessThan(2100)
    expect(text).toContain('## turn 0\n')
    expect(text).toContain('left out')
    expect(text).toContain('## turn 99\n')
  })
})

describe('the meter', () => {
  it('tells tokens without a price from tokens that cost nothing', () => {
    const meter = new Meter()
    meter.add({ model: 'a', inputTokens: 10, outputTokens: 5, dollars: 0.25 })
    expect(meter.usage).toEqual({ tokens: 15, dollars: 0.25 })
    meter.add({ model: 'b', inputTokens: 3, outputTokens: 4 })
    expect(meter.usage).toEqual({ tokens: 22, dollars: 0.25, unpricedTokens: 7 })
  })
})
