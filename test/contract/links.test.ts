import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findBrokenLinks, listFiles, loadPages } from './markdown.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('links between Markdown files', () => {
  it('every relative link leads to a file and a heading', () => {
    const pages = loadPages(ROOT)
    expect(pages.size).toBeGreaterThan(20)
    expect(findBrokenLinks(pages, (path) => existsSync(join(ROOT, path)))).toEqual([])
  })

  it('a missing file and a missing heading are found', () => {
    const pages = new Map([
      [
        'README.md',
        '# Top\n[a](docs/a.md) [b](docs/b.md) ![c](c.svg) [d](docs/a.md#second-part) [e](#nowhere)\n',
      ],
      ['docs/a.md', '# First\n## Second *part*\n[up](../README.md#top) [gone](../README.md#gone)\n'],
    ])
    expect(findBrokenLinks(pages, (path) => pages.has(path))).toEqual([
      'README.md: docs/b.md leads to no file',
      'README.md: c.svg leads to no file',
      'README.md: #nowhere leads to no heading',
      'docs/a.md: ../README.md#gone leads to no heading',
    ])
  })

  it('code, addresses and repeated headings raise no alarm', () => {
    const text =
      '# A\n## B\n## B\n[x](https://example.com/y.md) `[z](z.md)` [b](#b-1)\n```md\n[q](q.md)\n```\n'
    expect(findBrokenLinks(new Map([['a.md', text]]), () => true)).toEqual([])
  })
})

describe('pages of docs/ that other files name', () => {
  const NAMED = /\bdocs\/[\w/.-]+?\.(?:md|svg)\b/g
  const FOLDERS = ['src', 'scripts', 'bench', 'workflows-templates', 'schema']

  it('every page that code, templates or the schema name exists', () => {
    const missing = FOLDERS.flatMap((folder) =>
      listFiles(join(ROOT, folder)).flatMap((file) => {
        const text = readFileSync(join(ROOT, folder, file), 'utf8')
        const named = [...text.matchAll(NAMED)].map(([path]) => path)
        // The sandbox seeds a repository of its own with this picture.
        const ours = named.filter((path) => path !== 'docs/curve.svg')
        return ours
          .filter((path) => !existsSync(join(ROOT, path)))
          .map((path) => `${folder}/${file}: ${path}`)
      }),
    )
    expect(missing).toEqual([])
  })
})
