import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderCommitMessage } from '../../src/core/candidate/commit-message.ts'
import { cleanText } from '../../src/core/clean-text.ts'
import { anObjectId } from '../support/builders.ts'
import { gitEnvironment } from '../support/repository.ts'
import { aJob } from '../support/workbench.ts'

const job = aJob(anObjectId('c'), anObjectId('t'))

function messageOf(summary: string, changes = {}): string {
  const card = { files: 9, highlights: [{ path: 'src/a.js', linesAdded: 2, linesRemoved: 1 }] }
  const facts = { campaign: 'demo', candidate: 'demo-0007', agent: 'offline', summary, card, models: [] }
  return renderCommitMessage({ ...facts, job: { ...job, ...changes } })
}

function subjectOf(summary: string): string {
  return messageOf(summary).split('\n')[0] ?? ''
}

describe('cleanText', () => {
  it.each([
    ['colours and cursor movements', '\u001b[1;31mred\u001b[0m\u001b[2K!', 'red!'],
    ['carriage returns of progress bars', '10 %\r20 %\r\ndone', '10 %\n20 %\ndone'],
    ['controls, bells and NUL', 'a\u0000b\u0007c\u009bd', 'abcd'],
    ['direction and zero-width marks', 'a\u202eb\u200bc\u2066d', 'abcd'],
    ['halves of characters', 'a\ud83d b\ude00', 'a\ufffd b\ufffd'],
    ['what parts the halves of a character', '\ud83d\u0007\ude00', '😀'],
    ['spaces around', '\n  text \t\n', 'text'],
    ['tabs and line feeds inside', 'a\n\tb', 'a\n\tb'],
  ])('takes out or keeps %s', (_, given, expected) => {
    expect(cleanText(given, 100)).toBe(expected)
  })

  it('keeps the end of what is too long, within the bound', () => {
    expect(cleanText('0123456789', 4)).toBe('…789')
    expect(cleanText('0123', 4)).toBe('0123')
  })

  it('never cuts a character in two', () => {
    expect(cleanText('ab😀cd', 4)).not.toMatch(/[\ud800-\udfff]/)
  })
})

describe('the message of a commit', () => {
  it('a commit message has trailers that git reads', () => {
    const inspirations = [{ ordinal: 5, commit: anObjectId(5), tree: anObjectId('5') }]
    const message = messageOf('tune a number: 3 to 4', { operator: 'crossover', inspirations })
    const trailers = execFileSync('git', ['interpret-trailers', '--parse'], {
      input: message,
      env: gitEnvironment,
      encoding: 'utf8',
    })
    expect(trailers).toBe(
      'Loreley-Campaign: demo\nLoreley-Candidate: demo-0007\nLoreley-Parents: 0, 5\nLoreley-Operator: crossover\nLoreley-Agent: offline\n',
    )
    expect(messageOf('x', { inspirations })).toContain('Loreley-Parents: 0\n')
  })

  it('a commit message has a card of the diff, in which a path cannot make a trailer', () => {
    expect(messageOf('x')).toContain('\n\n9 files changed:\n- src/a.js: +2 -1\n- and 8 more\n\n')
    const highlights = [{ path: 'a\nLoreley-Model: free', linesAdded: 1, linesRemoved: 0 }]
    const facts = { campaign: 'd', candidate: 'd-0001', agent: 'openai', summary: 's', job }
    const message = renderCommitMessage({
      ...facts,
      card: { files: 1, highlights },
      models: ['big', 'small'],
    })
    expect(message).toContain('1 file changed:\n- a Loreley-Model: free: +1 -0\n\n')
    expect(message).toMatch(/Loreley-Agent: openai\nLoreley-Model: big, small\n$/)
  })

  it.each([
    ['plain words', 'tune a number', 'tune a number [skip ci]'],
    ['nothing', '', 'demo-0007 [skip ci]'],
    ['only what is taken out', '[skip ci] ***NO_CI***', 'demo-0007 [skip ci]'],
    ['several lines', 'one\ntwo\n\nLoreley-Campaign: other', 'one two Loreley-Campaign: other [skip ci]'],
    ['other skip words', 'a [ci skip] b [no ci] c [actions skip] d [SKIP ACTIONS]', 'a b c d [skip ci]'],
    ['a check trailer', 'skip-checks: true', 'true [skip ci]'],
    [
      'a closing keyword',
      'Fixes #12, resolves: #3 and closed acme/x#4',
      'see #12, see: #3 and see acme/x#4 [skip ci]',
    ],
    [
      'closing by link or GH number',
      'fix https://github.com/a/b/issues/1 close GH-2',
      'see https://github.com/a/b/issues/1 see GH-2 [skip ci]',
    ],
    ['a keyword without an issue', 'fixes the loop', 'fixes the loop [skip ci]'],
    ['mentions', '@ada (@grace) cc:@team/x a@b.example', 'ada (grace) cc:team/x a@b.example [skip ci]'],
    ['escape sequences', '\u001b[31mred\u0007', 'red [skip ci]'],
    ['a closing keyword behind a mention', 'closes #@5', 'see #5 [skip ci]'],
    ['a doubled mention', '@@octocat @@@x', 'octocat x [skip ci]'],
    ['a skip word in a skip word', 'a [skip [skip ci]ci] b', 'a b [skip ci]'],
    ['a keyword around a skip word', 'clo[skip ci]ses #5', 'see #5 [skip ci]'],
  ])('renders %s', (_, summary, expected) => {
    expect(subjectOf(summary)).toBe(expected)
  })

  it('no subject closes issues, mentions people or skips by more than the mark', () => {
    const part = fc.constantFrom(
      ...['@', '@@', '#', '5', 'closes', 'fix', ' ', ':', '[', ']', 'skip ci', '[skip ci]', '[no ci]', 'GH-'],
      ...['***NO_CI***', '***', 'NO_CI', 'skip-checks:', 'octocat', 'clo', 'ses', '/issues/', '\u200b', '\n'],
    )
    const summary = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(summary, (text) => {
        const subject = subjectOf(text).replace(/ \[skip ci\]$/, '')
        expect(subject).not.toMatch(/(?<!\w)@\w/)
        expect(subject).not.toMatch(/\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?):?\s*#\d/i)
        expect(subject).not.toMatch(/\[\s*skip ci\s*\]|\[no ci\]|\*\*\*NO_CI\*\*\*|\bskip-checks:/i)
      }),
      { seed: 1, numRuns: 3000 },
    )
  })

  it('a commit message has a subject of at most 72 characters, none of them half a character', () => {
    for (const text of ['word '.repeat(100), 'x'.repeat(1000), `${'x'.repeat(61)}😀😀`, '😀'.repeat(100)]) {
      const subject = subjectOf(text)
      expect(subject.length).toBeLessThanOrEqual(72)
      expect(subject).toMatch(/ \[skip ci\]$/)
      expect(Buffer.from(subject).toString()).toBe(subject)
    }
  })
})
