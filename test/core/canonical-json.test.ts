import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../src/core/canonical-json.ts'

describe('canonicalJson', () => {
  it('sorts keys at every depth and leaves out undefined', () => {
    expect(canonicalJson({ b: [{ d: 1, c: undefined }], a: null })).toBe('{"a":null,"b":[{"d":1}]}')
  })

  it('keeps a key called __proto__', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"x":1}}'))).toBe('{"__proto__":{"x":1},"b":1}')
  })

  it('indents for people', () => {
    expect(canonicalJson({ a: 1 }, 2)).toBe('{\n  "a": 1\n}')
  })

  it('gives the same bytes whatever the order of the keys, and loses nothing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse())
        expect(canonicalJson(turned)).toBe(canonicalJson(value))
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { seed: 9, numRuns: 200 },
    )
  })

  // JSON would write null for them: a document that its own reader refuses.
  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses to write %d', (number) => {
    expect(() => canonicalJson({ metrics: { score: number } })).toThrow(RangeError)
  })
})
