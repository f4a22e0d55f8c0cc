import { describe, expect, it } from 'vitest'
import { RunLogs } from '../../../src/pipeline/measuring/run-logs.ts'
import { readResult } from '../../../src/protocol/result.ts'
import { aResultDocument, bytesOf } from '../../support/artifacts.ts'

const ended = (stdout: string, exitCode = 0) =>
  ({ status: 'exited', exitCode, stdout, stderr: '', isStdoutCut: false, durationMs: 1 }) as const

function logged(text: string, exitCode = 0, secrets: readonly string[] = []): string | undefined {
  const logs = new RunLogs(secrets)
  logs.add('full candidate', ended(text, exitCode))
  return logs.list()[0]?.text
}

describe('what a command said', () => {
  it('a log holds no escape sequences and nothing that a runner obeys', () => {
    const text = '\u001b[31mred\u001b[0m\n\u001b[0m::error::x\n  ::add-mask::y\na ##[error]z'
    expect(logged(text)).toBe('red\n: :error::x\n  : :add-mask::y\na ## [error]z')
  })

  // Each of them takes minutes where a search begins at every line and reads on to the end.
  it.each([
    ['empty lines', '\n'.repeat(1_000_000)],
    ['blanks', ' '.repeat(1_000_000)],
    ['separators of lines', '\u2028'.repeat(1_000_000)],
  ])('a log is cleaned also when it holds a megabyte of %s', (_name, blank) => {
    expect(logged(`a${blank}b\n ::error::x`)).toMatch(/b\n : :error::x$/)
  })

  it('a log holds no secrets, neither of a known shape nor those that were handed to it', () => {
    const token = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
    expect(logged(`${token} and registry-pass`, 0, ['registry-pass'])).toBe('[secret] and [secret]')
    const coloured = `${token.slice(0, 9)}\u001b[1m${token.slice(9)} and registry\u001b[0m-pass`
    expect(logged(coloured, 0, ['registry-pass'])).toBe('[secret] and [secret]')
  })

  it('a log keeps the end of a command that did well, and more of one that failed', () => {
    const text = `${'x'.repeat(50_000)}end`
    expect(logged(text)).toMatch(/^…x{996}end$/)
    expect(logged(text, 1)).toMatch(/^…x{9996}end$/)
  })

  it('logs keep the last run of each command, and fit a result however many there were', () => {
    const logs = new RunLogs([])
    for (let run = 0; run < 60; run++) logs.add(`gate ${run % 30} ${'n'.repeat(200)}`, ended(`run ${run}`, 1))
    logs.add('silent', ended(' \n'))
    const kept = logs.list()
    expect(kept.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, n) => `run ${40 + n}`))
    expect(readResult(bytesOf(aResultDocument({ logs: [...kept] }))).status).toBe('read')
  })
})
