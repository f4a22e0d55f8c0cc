import { describe, expect, it } from 'vitest'
import { boundValues, countValues } from '../../src/core/count-values.ts'
import { readProposal } from '../../src/protocol/proposal.ts'
import { RESULT_LIMITS, readResult } from '../../src/protocol/result.ts'

const bound = (json: string, most = 1000): number => boundValues(Buffer.from(json), most)

describe('counting values', () => {
  it.each([
    ['1', 1],
    ['[1,2,3]', 4],
    ['{"a":1,"b":[{},[]]}', 7],
    ['"a,b[{"', 1],
    ['["a\\",b","\\\\",1]', 4],
  ])('%s has at most %d values and no fewer than are there', (json, most) => {
    expect(bound(json)).toBe(most)
    expect(countValues(JSON.parse(json), 1000)).toBeLessThanOrEqual(most)
  })

  it('stops counting beyond the limit', () => {
    expect(bound(','.repeat(500), 10)).toBe(11)
    expect(
      countValues(
        Array.from({ length: 500 }, () => [1, 2]),
        10,
      ),
    ).toBe(11)
  })
})

describe('an artifact of countless tiny values', () => {
  it.each([
    ['numbers', `[${'1,'.repeat(200_000)}1]`],
    ['keys', `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join()}}`],
    ['lists', '['.repeat(200_000)],
  ])('an artifact is refused for its %s before it is parsed', (_case, json) => {
    const detail = `it holds more than ${RESULT_LIMITS.documentValues} values`
    expect(readResult(Buffer.from(json))).toEqual({ status: 'unreadable', detail })
    expect(readProposal(Buffer.from(json)).status).toBe('unreadable')
  })

  it('lists a few problems of a result that has thousands', () => {
    const reading = readResult(Buffer.from(JSON.stringify({ logs: Array.from({ length: 9000 }, () => 1) })))
    expect(reading).toEqual({
      status: 'unreadable',
      detail: expect.stringMatching(/ and \d+ more problems$/),
    })
  })
})
