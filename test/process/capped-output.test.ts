import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CappedOutput } from '../../src/process/capped-output.ts'

function capped(maxBytes: number, ...chunks: readonly string[]): CappedOutput {
  const output = new CappedOutput(maxBytes)
  for (const chunk of chunks) output.add(Buffer.from(chunk))
  return output
}

describe('CappedOutput', () => {
  it('keeps all of a short output, with characters split over chunks', () => {
    const output = new CappedOutput(40)
    for (const byte of Buffer.from('über\nallem\n')) output.add(Buffer.from([byte]))
    expect([output.text(), output.truncated]).toEqual(['über\nallem\n', false])
  })

  it('keeps whole lines of the beginning and of the end, and counts the bytes between', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}\n`)
    const output = capped(40, ...lines)
    expect(output.text()).toBe('line 0\n[... 759 bytes left out ...]\nline 97\nline 98\nline 99\n')
    expect(output.truncated).toBe(true)
  })

  it('the rest of a cut line never passes for a line', () => {
    expect(capped(16, `METRIC a=1${'0'.repeat(50)}2`).text()).toBe(
      'METR[... 45 bytes left out ...]000000000002',
    )
    expect(capped(16, `METRIC a=1${'0'.repeat(50)}2\n`).text()).toBe(
      'METR[... 46 bytes left out ...]00000000002\n',
    )
  })

  it.each([0, 1, 2, 3])('holds no more than a limit of %i', (limit) => {
    const output = capped(limit, 'abc\n', 'def\n')
    expect(output.truncated).toBe(true)
    expect(output.text().replace(/\[.*\]\n?/, '').length).toBeLessThanOrEqual(limit)
  })

  it('says the same however the output is cut into chunks', () => {
    const property = fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 60 }),
      fc.array(fc.nat(60), { maxLength: 8 }),
      fc.nat(40),
      (text, cuts, limit) => {
        const bounds = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
        const chunks = bounds.slice(1).map((end, index) => text.slice(bounds[index], end))
        const whole = capped(limit, text)
        expect(capped(limit, ...chunks).text()).toBe(whole.text())
        expect(whole.truncated).toBe(text.length > limit)
      },
    )
    fc.assert(property, { seed: 1, numRuns: 500 })
  })
})
