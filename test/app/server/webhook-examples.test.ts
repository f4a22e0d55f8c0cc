import { describe, expect, it } from 'vitest'
import { findEnvelope } from '../../../src/app/server/envelope.ts'
import { readEvent } from '../../../src/app/server/webhook-events.ts'
import { EXAMPLES } from './webhook-examples.ts'

describe("GitHub's example payloads", () => {
  it('GitHub’s example webhooks are all read without a fault, known ones as their own kind', () => {
    const types = new Set<string>()
    for (const { name, examples: payloads } of EXAMPLES) {
      for (const payload of payloads) {
        findEnvelope(payload)
        types.add(readEvent(name, payload).type)
      }
    }
    expect(EXAMPLES.length).toBeGreaterThan(40)
    expect([...types].sort()).toEqual(
      expect.arrayContaining([
        'button',
        'commented',
        'issue-edited',
        'issue-changed',
        'labelled',
        'other',
        'pull-closed',
        'pushed',
      ]),
    )
  })

  it('webhooks of an edited issue tell which words are the sender’s', () => {
    const issue = { number: 7, title: 'Faster', body: 'Try hard.' }
    const edited = (changes: object) => readEvent('issues', { action: 'edited', issue, changes })
    const from = { from: 'before' }
    expect(edited({ title: from })).toMatchObject({ changed: { title: true, body: false } })
    expect(edited({ body: from })).toMatchObject({ changed: { title: false, body: true } })
  })

  it.each([null, 7, '', [], {}, { action: 'labeled' }, { action: 'labeled', issue: { number: 'x' } }])(
    'the payload %j is an event like any other',
    (payload) => {
      expect(readEvent('issues', payload)).toEqual({ type: 'other' })
      expect(findEnvelope(payload)).toBeUndefined()
    },
  )
})
