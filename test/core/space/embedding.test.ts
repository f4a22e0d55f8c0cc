import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeVector, encodeVector } from '../../../src/core/space/embedding.ts'

const component = fc.double({ min: -1, max: 1, noNaN: true })

it('reads back what it wrote to within half a step of the largest component', () => {
  fc.assert(
    fc.property(fc.array(component, { minLength: 1, maxLength: 40 }), component, (wild, magnitude) => {
      const values = wild.map((value) => value / Math.sqrt(wild.length))
      const read = [...(decodeVector(encodeVector(values, magnitude)) ?? [])]
      const step = Math.max(...values.map(Math.abs)) / 127
      expect(read).toHaveLength(values.length + 1)
      for (const [index, value] of values.entries()) {
        expect(Math.abs((read[index] ?? Number.NaN) - value)).toBeLessThanOrEqual(step * 0.51 + 1e-30)
      }
      expect(read.at(-1)).toBeCloseTo(magnitude, 6)
    }),
    { seed: 1 },
  )
})

it('keeps differences however small they are', () => {
  const read = decodeVector(encodeVector([4e-8, -2e-8, 0], 0)) ?? []
  expect((read[0] ?? 0) / (read[1] ?? 1)).toBeCloseTo(-2, 1)
})

it.each(['', 'AAAA', 'not base64!', `${'A'.repeat(7)}=`, btoa('\x7f\x80\0\0\0\0\0\0a')])(
  'takes %j for no vector',
  (text) => {
    expect(decodeVector(text)).toBeUndefined()
  },
)

describe('the length of a vector', () => {
  const along = (length: number, dimensions: number) =>
    Array.from({ length: dimensions }, () => length / Math.sqrt(dimensions))

  it.each([2, 512, 4096])(
    'may be what a difference of two directions has, in %i dimensions',
    (dimensions) => {
      const mixed = along(2, dimensions).map((value, index) => (index % 3 === 0 ? value : value * 0.7))
      for (const values of [along(1, dimensions), along(2, dimensions), mixed])
        expect(decodeVector(encodeVector(values, 14))).toBeDefined()
    },
  )

  it.each([
    ['components of 64 each', Array.from({ length: 512 }, () => 64), 1],
    ['a length of three', along(3, 512), 1],
    ['a magnitude that no change has', along(1, 512), 20],
    ['a magnitude below all', along(1, 512), -20],
  ])('refuses %s, which would bend every axis', (_name, components, magnitude) => {
    expect(decodeVector(encodeVector(components, magnitude))).toBeUndefined()
  })
})
