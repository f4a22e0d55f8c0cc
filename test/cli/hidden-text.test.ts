import { describe, expect, it } from 'vitest'
import { aCli } from '../support/cli.ts'
import { anExample, EXAMPLE_FILES, exampleConfig } from '../support/example.ts'

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/

describe('text that a terminal would obey', () => {
  it('show, best and status print escapes in its place', async () => {
    const source = `// \u001b[8m\u001b]0;owned\u0007 \u202e hidden\n${EXAMPLE_FILES['src/a.js']}`
    const folder = await anExample({ 'src/a.js': source })
    const machine = aCli()
    expect(await machine.run(folder, 'run', '--candidates', '6')).toMatchObject({ exitCode: 0 })
    const shown = await Promise.all(
      ['1', '2', '3', '4', '5', '6'].map((candidate) => machine.run(folder, 'show', candidate)),
    )
    const said = [...shown, await machine.run(folder, 'best'), await machine.run(folder, 'status')]
    for (const { exitCode, stdout, stderr } of said) {
      expect(exitCode).toBe(0)
      expect(stdout + stderr).not.toMatch(HIDDEN)
    }
    expect(shown.map(({ stdout }) => stdout).join('')).toContain(
      '// \\u{1b}[8m\\u{1b}]0;owned\\u{7} \\u{202e} hidden',
    )
  })

  it('errors that quote config keys print escapes, as text and as JSON', async () => {
    const folder = await anExample({ '.loreley.yml': exampleConfig('"\\x1b[31mgaol\\u202e": x\n') })
    const machine = aCli()
    for (const command of ['validate', 'run', 'status']) {
      const { stdout, stderr } = await machine.run(folder, command)
      expect(stdout + stderr).not.toMatch(HIDDEN)
    }
    const { stderr } = await machine.run(folder, 'validate')
    expect(stderr).toContain('\\u{1b}[31mgaol\\u{202e}')
    const { stdout } = await machine.run(folder, 'validate', '--json')
    expect(stdout.trim()).not.toMatch(HIDDEN)
    expect(JSON.parse(stdout).problems[0].path).toContain('\\u{1b}[31mgaol')
  })
})
