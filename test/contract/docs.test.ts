import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findTargets, loadPages, type Pages, withoutFences } from './markdown.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGES = loadPages(ROOT)
const MAX_WORDS = 100
const MAX_ADR_LINES = 24

/** Pages of a folder, without its index. */
function pagesBelow(folder: string, pages: Pages = PAGES): string[] {
  return [...pages.keys()].filter((path) => path.startsWith(folder) && !path.endsWith('/README.md'))
}

/** A line for each paragraph or list item with too many words. Tables and code are not prose. */
function findLongParagraphs(pages: Pages): string[] {
  return [...pages].flatMap(([path, text]) =>
    withoutFences(text)
      .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
      .filter((block) => !/^\s*[|<]/.test(block))
      .map((block) => block.trim().split(/\s+/))
      .filter((words) => words.length > MAX_WORDS)
      .map((words) => `${path}: ${words.length} words: ${words.slice(0, 6).join(' ')} …`),
  )
}

/** The pages of a folder that its index does not link to. */
function findUnlisted(index: string, pages: Pages): string[] {
  const folder = posix.dirname(index)
  const targets = findTargets(pages.get(index) ?? '').map((target) => target.split('#')[0] ?? '')
  const listed = new Set(targets.map((target) => posix.join(folder, target)))
  return pagesBelow(`${folder}/`, pages).filter((path) => !listed.has(path))
}

describe('the documentation', () => {
  it('the index names every page', () => {
    const isDecision = (path: string): boolean => path.startsWith('docs/adr/')
    expect(findUnlisted('docs/README.md', PAGES).filter((path) => !isDecision(path))).toEqual([])
    expect(findUnlisted('docs/adr/README.md', PAGES)).toEqual([])
  })

  it('a page that the index lacks is found', () => {
    const pages = new Map([
      ['docs/README.md', '[a](a.md#part)'],
      ['docs/a.md', ''],
      ['docs/how-to/b.md', ''],
    ])
    expect(findUnlisted('docs/README.md', pages)).toEqual(['docs/how-to/b.md'])
  })

  it('no paragraph is longer than 100 words', () => {
    expect(findLongParagraphs(PAGES)).toEqual([])
  })

  it('a long paragraph and a long list item are found, a long table is not', () => {
    const long = 'word '.repeat(MAX_WORDS + 1)
    const text = `${long}\n\n- short\n- ${long}\n\n| ${long} |\n\n\`\`\`\n${long}\n\`\`\`\n`
    expect(findLongParagraphs(new Map([['a.md', text]]))).toHaveLength(2)
  })
})

describe('decisions', () => {
  it.each(pagesBelow('docs/adr/'))('%s has a status, context, decision and consequences', (path) => {
    const text = PAGES.get(path) ?? ''
    const number = Number(posix.basename(path).slice(0, 4))
    expect(text).toMatch(new RegExp(`^# ${number}\\. `))
    const parts = ['Status:**', 'Context.**', 'Decision.**', 'Consequences.**']
    expect(parts.filter((part) => !text.includes(`\n**${part} `))).toEqual([])
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_ADR_LINES)
  })
})
