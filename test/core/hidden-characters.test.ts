import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText } from '../../src/core/clean-text.ts'
import { escapeHidden } from '../../src/core/hidden-characters.ts'

const HOSTILE = fc
  .array(
    fc.constantFrom(
      ...['\u001b', '\u001b[', '\u001b]0;', '\u0007', '\u009b', '8m', '\u202e', '\u2069', '\u200b', '\u200d'],
      ...[
        '\u{e0041}',
        '\udb40',
        '\udc41',
        '\ufeff',
        '\r',
        '\n',
        '\u2028',
        'x',
        '👩',
        '♀',
        '\ufe0f',
        '@',
        '5',
      ],
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))
const LEFT =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e0fff}]/u

describe('hidden characters', () => {
  it.each([
    ['a colour', 'a\u001b[31mb\u001b[0m', 'ab'],
    ['a title', 'a\u001b]0;owned\u0007b', 'ab'],
    ['a link', '\u001b]8;;https://evil.example\u001b\\b\u001b]8;;\u001b\\', 'b'],
    ['one-byte forms', 'a\u009b31mb\u009d0;x\u009cc', 'a31mb0;xc'],
    ['tags', `a${String.fromCodePoint(0xe0068, 0xe0069)}`, 'a'],
    ['halves of a tag that would join', 'a\udb40\u200b\udc41', 'a\ufffd'],
    ['a line separator', 'a\u2028b', 'a\nb'],
    ['joined emoji', '👩‍👩‍👧 ❤️', '👩‍👩‍👧 ❤️'],
    ['a lone joiner', 'a\u200db\ufe0f', 'ab'],
  ])('cleaning takes out what is hidden: %s', (_, text, expected) => {
    expect(cleanText(text, 100)).toBe(expected)
  })

  it('cleaned text holds nothing hidden, and cleaning it again changes nothing', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const clean = cleanText(text, 1000)
        expect(clean).not.toMatch(LEFT)
        expect(cleanText(clean, 1000)).toBe(clean)
      }),
      { seed: 1, numRuns: 3000 },
    )
  })

  it('escaped text shows what was hidden and keeps the rest', () => {
    expect(escapeHidden('a\u202eb\u001b[8m\tc\r\nd\re 👩‍👧\n')).toBe(
      'a\\u{202e}b\\u{1b}[8m\tc\r\nd\\u{d}e 👩‍👧\n',
    )
    fc.assert(
      fc.property(HOSTILE, (text) => {
        expect(escapeHidden(text).replaceAll('\r\n', '\n')).not.toMatch(LEFT)
      }),
      { seed: 2, numRuns: 3000 },
    )
  })
})
