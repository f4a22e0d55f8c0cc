import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockText, fitBody, inlineText } from '../../src/reports/plain-markdown.ts'

describe('untrusted text in a line', () => {
  it.each([
    ['fixes #12', 'fixes #\u200b12'],
    ['thanks @wendy', 'thanks @\u200bwendy'],
    ['closes #@5', 'closes #\u200b@\u200b5'],
    ['@@octocat', '@\u200b@\u200boctocat'],
    ['a\u202eb\u001b]0;x\u0007c\u{e0041}', 'abc'],
    ['<b>x</b>', '&lt;b&gt;x&lt;/b&gt;'],
    ['a `b` *c* [d](e)', 'a \\`b\\` \\*c\\* \\[d\\]\\(e\\)'],
    ['see https://evil.example/x now', 'see \\(link\\) now'],
    ['/loreley stop', '\u200b/loreley stop'],
    ['one\n\ntwo', 'one two'],
    ['GH-12', 'GH-\u200b12'],
    ['ghp_abcdefghijklmnopqrstuvwxyz0123', '\\[secret\\]'],
  ])('renders %j as %j', (text, shown) => {
    expect(inlineText(text, 100)).toBe(shown)
  })

  it('inline text holds nothing that GitHub would obey', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const shown = inlineText(text, 80)
        expect(shown).not.toMatch(/[@#](?!\u200b)/)
        expect(shown).not.toMatch(/[<>\n]/)
        expect(shown).not.toMatch(/^\//)
        expect(shown).not.toMatch(/https?:\/\//)
      }),
      { seed: 1, numRuns: 500 },
    )
  })
})

describe('longer untrusted text', () => {
  it('block text cannot close its own fence', () => {
    expect(blockText('a\n```\n@b', 100)).toBe('````text\na\n```\n@b\n````')
  })
})

describe('a page that is too long', () => {
  it('cuts a long page at a line, closes its code block and says so', () => {
    const body = fitBody(`start\n\`\`\`text\n${'line\n'.repeat(100)}\`\`\`\nend`, 200)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(210)
    expect(body.match(/^```/gm)).toHaveLength(2)
    expect(body).toContain('This page was shortened')
  })
})
