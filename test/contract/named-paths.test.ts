import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const PAGES = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'AGENTS.md']

// Other names with a slash are branches, refs or files of a user's repository.
const OURS =
  /^(?:src|test|docs|bench|scripts|schema|action|examples|workflows-templates|\.github|\.ci)(?:\/|$)|^[A-Z_]+\.md$/

/** The paths of this repository that a page names in backticks; a pattern counts as the folder before its first `*`. */
function findNamedPaths(text: string): string[] {
  return [...text.matchAll(/`([^`\s]+)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => OURS.test(name))
    .map((name) => (name.includes('*') ? name.slice(0, name.indexOf('*')).replace(/[^/]*$/, '') : name))
}

function findMissing(text: string, exists: (path: string) => boolean): string[] {
  return findNamedPaths(text).filter((path) => !exists(path))
}

describe('paths that the pages for contributors name', () => {
  it.each(PAGES)('every path in %s exists', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    expect(findNamedPaths(text).length).toBeGreaterThan(5)
    expect(findMissing(text, (path) => existsSync(join(ROOT, path)))).toEqual([])
  })

  it('every test that keeps a promise of docs/explanation/security.md exists', () => {
    const text = readFileSync(join(ROOT, 'docs/explanation/security.md'), 'utf8')
    const tests = findNamedPaths(text).filter((path) => path.startsWith('test/'))
    expect(tests.length).toBeGreaterThan(30)
    expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  it('a path that does not exist is found, a branch is left alone', () => {
    const text = '`src/core` `src/gone.ts` `GONE.md` `loreley/state` `src/lost/*.ts` `npm test` src/plain.ts'
    expect(findMissing(text, (path) => path === 'src/core')).toEqual(['src/gone.ts', 'GONE.md', 'src/lost/'])
  })
})
