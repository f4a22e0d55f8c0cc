import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../../src/sandbox/web/markdown/markdown.ts'
import { toggleTask } from '../../../src/sandbox/web/markdown/tasks.ts'

const render = (text: string): string => renderMarkdown(text, { home: '/acme/demo' }).markup

describe('Markdown', () => {
  it.each([
    ['<script>alert(1)</script>', '<script'],
    ['<img src=x onerror=alert(1)>', ' onerror'],
    ['<img src="javascript:alert(1)">', 'src="javascript'],
    ['<a href="javascript:alert(1)">x</a>', 'href="javascript'],
    ['<a href="jAvAsCrIpT&#58;alert(1)">x</a>', 'href="jAvA'],
    ['[x](javascript:alert(1))', 'href="javascript'],
    ['[x](data:text/html,hi)', 'href="data'],
    ['<form action="/-/session"><button>x</button></form>', '<form'],
    ['</div></main><style>*{}</style>', '</main>'],
    ['<iframe src="/"></iframe>', '<iframe'],
    ['<svg onload=alert(1)>', '<svg'],
    ['<p/onclick=alert(1)>x', ' onclick'],
    ['<details open ontoggle=alert(1)>', ' ontoggle'],
    ['```html\n<script>\n```', '<script'],
    ['`<script>`', '<script'],
    ['![x"onerror="alert(1)](a.png)', '"onerror'],
    ['<img alt="a>b" src="x" onerror="y">', ' onerror="'],
    ['#1"><script>', '<script'],
  ])('Markdown makes %s harmless', (text, forbidden) => {
    const tags = render(text).replace(/&lt;.*?&gt;/g, '')
    expect(tags).not.toContain(forbidden)
  })

  it('Markdown keeps details, kbd, images and tables, and hides comments', () => {
    const text =
      '<!-- mark -->\n<details><summary>More</summary>\n\n**bold** <kbd>x</kbd>\n\n</details>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'
    const markup = render(`${text}\n<img src="https://example.com/a.png" width="20">`)
    expect(markup).not.toContain('mark -->')
    for (const part of [
      '<details><summary>More</summary>',
      '<strong>bold</strong>',
      '<kbd>',
      '<table>',
      'width="20"',
    ]) {
      expect(markup).toContain(part)
    }
  })

  it('unbalanced tags never reach beyond their own text', () => {
    expect(render('<a href="https://example.com">x')).toMatch(/x<\/a><\/p>\s*<\/div>$/)
    expect(render('</p></p><b><i>x</b></i>')).not.toMatch(/<\/p><\/p>|<\/b><\/i>/)
    const nested = render('<details>\n\n- <b>x\n\n<table><tr><td>')
    expect(nested.match(/<\w+/g)?.length).toBe(nested.match(/<\//g)?.length)
  })

  it('issue numbers become links, except inside code', () => {
    expect(render('see #12')).toContain('<a href="/acme/demo/issues/12">#12</a>')
    expect(render('`#12`')).not.toContain('<a ')
  })

  it('a task is drawn as a checkbox that knows its line', () => {
    const seen: number[] = []
    renderMarkdown('- [ ] one\n- text\n\n  - [x] two\n\n```\n- [ ] no\n```\n', {
      checkbox: ({ line, done }) => {
        seen.push(done ? -line : line)
        return renderMarkdown('')
      },
    })
    expect(seen).toEqual([0, -3])
  })
})

describe('ticking a task', () => {
  it('toggling a task changes its mark and nothing else', () => {
    expect(toggleTask('a\n- [ ] b\r\n- [x] c', 1)).toBe('a\n- [x] b\r\n- [x] c')
    expect(toggleTask('a\n- [ ] b\n- [x] c', 2)).toBe('a\n- [ ] b\n- [ ] c')
    expect(toggleTask('> 1. [X] q', 0)).toBe('> 1. [ ] q')
    expect(toggleTask('- [ ]', 0)).toBe('- [x]')
    expect(toggleTask('text', 0)).toBeUndefined()
    expect(toggleTask('text', 9)).toBeUndefined()
  })
})
