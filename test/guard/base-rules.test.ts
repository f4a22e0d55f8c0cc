import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createFilteredTest, createIgnoredTest } from '../../src/guard/base-rules.ts'
import { aRepository, gitEnvironment } from '../support/repository.ts'

const RULES = {
  '.gitignore': '*.log\n/build/\n!keep.log\ndocs/**/tmp\n\\#odd\n',
  'src/.gitignore': '!debug.log\ngen\n',
  '.gitattributes':
    '[attr]big filter=lfs diff=lfs\n*.bin filter=lfs -text\n"with space.txt" ident\n*.big big\n*.txt text\nsafe.bin -filter\n',
  'src/.gitattributes': '*.u16 working-tree-encoding=UTF-16\n*.bin !filter\n/x/*.c ident\n',
}
const files = Object.entries(RULES).map(([path, text]) => ({ path, text }))

const PATHS = [
  'a.log',
  'keep.log',
  'src/debug.log',
  'src/deep/debug.log',
  'src/other.log',
  'build/x',
  'src/build/x',
  'docs/a/b/tmp/x',
  'src/gen/x',
  'gen/x',
  '#odd',
  'a.bin',
  'safe.bin',
  'src/a.bin',
  'a.big',
  'src/a.u16',
  'a.u16',
  'src/x/a.c',
  'src/y/a.c',
  'with space.txt',
  'plain.txt',
]

describe("the base's rules, as git itself reads them", () => {
  it('agrees with git about ignored paths', () => {
    const isIgnored = createIgnoredTest(files)
    const said = ask('check-ignore', '-z', '--stdin').split('\0')
    expect(PATHS.filter(isIgnored)).toEqual(PATHS.filter((path) => said.includes(path)))
  })

  it('agrees with git about rewritten files', () => {
    const isFiltered = createFilteredTest(files)
    const fields = ask('check-attr', '-z', '--stdin', 'filter', 'working-tree-encoding', 'ident').split('\0')
    const rewritten = new Set<string>()
    for (let at = 0; at + 2 < fields.length; at += 3) {
      if (!['unspecified', 'unset'].includes(fields[at + 2] ?? '')) rewritten.add(fields[at] ?? '')
    }
    expect(PATHS.filter(isFiltered)).toEqual(PATHS.filter((path) => rewritten.has(path)))
    expect(rewritten.size).toBeGreaterThan(3)
  })
})

function ask(...args: string[]): string {
  const options = { cwd: aRepository(RULES), env: gitEnvironment, input: PATHS.join('\0') }
  return execFileSync('git', args, options).toString('utf8')
}
