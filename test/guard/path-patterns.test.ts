import { describe, expect, it } from 'vitest'
import { createPathMatcher } from '../../src/guard/paths/path-patterns.ts'

describe('createPathMatcher', () => {
  const table: [patterns: string[], matching: string[], others: string[]][] = [
    [['*.md'], ['a.md', 'docs/deep/a.md', '.hidden.md', 'x.md/inside'], ['a.mdx', 'md']],
    [['/*.md'], ['a.md'], ['docs/a.md']],
    [['src/**'], ['src/a', 'src/.b/c'], ['src', 'lib/src/a']],
    [['src'], ['src', 'src/a', 'lib/src/a'], ['srcs/a', 'asrc']],
    [['src/'], ['src/a', 'lib/src/a'], ['src', 'lib/src']],
    [['/src/'], ['src/a/b'], ['src', 'lib/src/a']],
    [['./src/core'], ['src/core', 'src/core/a'], ['x/src/core']],
    [['packages/*/src'], ['packages/a/src/x', 'packages/a/src'], ['packages/a/b/src/x']],
    [['a/**/z'], ['a/z', 'a/b/c/z'], ['z']],
    [['*.{js,ts}'], ['a.js', 'b/a.ts'], ['a.c']],
    [['file?.txt'], ['file1.txt'], ['file12.txt', 'file.txt']],
    [['**'], ['a', '.a/b'], []],
    [['*'], ['a', '.a/b'], []],
    [['app/[id].ts'], ['app/[id].ts', 'app/i.ts'], ['app/x.ts']],
    [['[id].ts'], ['x/[id].ts'], ['x/x.ts']],
    [['app/(group)/x'], ['app/(group)/x'], ['app/group/x']],
    [['a|b'], ['a|b'], ['a', 'b']],
    [['+(a)'], ['+(a)'], ['a', 'aa']],
    [['"q"'], ['"q"'], ['q']],
    [['caf\u00e9'], ['cafe\u0301', 'caf\u00e9/x'], ['cafe']],
    [['src/**', 'docs/'], ['src/a', 'docs/a'], ['lib/a']],
    [['!important'], ['!important'], ['important', 'a']],
    [['', '/', './'], [], ['', 'a', '/']],
    [[], [], ['a']],
  ]

  it.each(table)('reads %j as .gitignore would', (patterns, matching, others) => {
    const matches = createPathMatcher(patterns, { ignoreCase: false })
    expect([...matching, ...others].filter(matches)).toEqual(matching)
  })

  it('ignores case only when asked', () => {
    expect(createPathMatcher(['Src/**'], { ignoreCase: true })('sRC/a')).toBe(true)
    expect(createPathMatcher(['Src/**'], { ignoreCase: false })('src/a')).toBe(false)
  })

  it('anchors patterns without a slash when asked', () => {
    const matches = createPathMatcher(['eval.py', 'tools/'], { ignoreCase: false, anchored: true })
    expect(['eval.py', 'tools/x', 'src/eval.py', 'src/tools/x'].filter(matches)).toEqual([
      'eval.py',
      'tools/x',
    ])
  })
})
