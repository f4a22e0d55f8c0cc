import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FAILURE_REASONS } from '../../src/core/measuring/verdict.ts'
import { ERROR_CODES } from '../../src/errors.ts'

const ROOT = join(import.meta.dirname, '../..')

function sourcesIn(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path !== import.meta.filename)
}

function codesNamedIn(folder: string): Set<string> {
  const text = sourcesIn(folder)
    .filter((path) => !path.endsWith('src/errors.ts'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
  return new Set(ERROR_CODES.filter((code) => new RegExp(`['\\[]${code}['\\]]`).test(text)))
}

const page = readFileSync(join(ROOT, 'docs/reference/errors.md'), 'utf8')

describe('the error codes', () => {
  it('the page lists every error code and no others', () => {
    const listed = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code)
    expect(listed).toEqual([...ERROR_CODES])
  })

  it('the source names every error code', () => {
    expect(ERROR_CODES.filter((code) => !codesNamedIn('src').has(code))).toEqual([])
  })

  it('some test triggers every error code', () => {
    expect(ERROR_CODES.filter((code) => !codesNamedIn('test').has(code))).toEqual([])
  })
})

describe('the failure reasons of candidates', () => {
  it('the page lists every failure reason', () => {
    expect(FAILURE_REASONS.filter((reason) => !page.includes(`\`${reason}\``))).toEqual([])
  })
})
