import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aFolder } from '../../support/repository.ts'
import { call, DONE, EDIT, FILES, KEY, lastResults, play } from './support.ts'

describe('the openai agent', () => {
  it('edits, writes, moves and deletes files, and says what it did in one line', async () => {
    const { outcome, files } = await play([
      call('read_file', { path: 'src/a.js' }),
      EDIT,
      call('write_file', { path: 'src/new/c.js', content: 'export const c = 4\n' }),
      call('move_file', { from: 'src/b.js', to: 'src/d.js' }),
      call('delete_file', { path: 'src/new/c.js' }),
      { text: 'make a larger\n\nand more words' },
    ])
    expect(outcome).toEqual({ status: 'changed', summary: 'make a larger', model: 'small' })
    expect(files).toEqual({ 'src/a.js': 'export const a = 3\n', 'src/d.js': FILES['src/b.js'] })
  })

  it('sends key, model, tools and the brief, and the plan where there is one', async () => {
    const { asked } = await play([EDIT, DONE], { plan: { text: 'Make a larger.' } })
    expect(asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(asked[0]?.body).toMatchObject({ model: 'small', max_completion_tokens: 8192 })
    expect(asked[0]?.body.tools?.map((tool) => tool.function.name)).toEqual([
      ...['list_files', 'search_text', 'read_file', 'repo_map'],
      ...['edit_file', 'write_file', 'delete_file', 'move_file'],
    ])
    expect(asked[0]?.body.messages[1]?.content).toContain('## Goal\n\nBetter.')
    expect(asked[0]?.body.messages[1]?.content).toContain('## The plan\n\nMake a larger.')
  })

  it('sends headers and query that the config adds', async () => {
    const config = { headers: { 'x-team': 'red' }, query: { 'api-version': '1' }, organization: 'org' }
    const { asked } = await play([EDIT, DONE], { config })
    expect(asked[0]?.path).toBe('/v1/chat/completions?api-version=1')
    expect(asked[0]?.headers).toMatchObject({ 'x-team': 'red', 'openai-organization': 'org' })
  })

  it('offers the check only where there is one, and shows what it said', async () => {
    const check = async () => ({ passed: false, output: 'line 1: \u001b[31mwrong\u001b[0m' })
    const without = await play([EDIT, call('run_check', {}), DONE])
    expect(lastResults(without.asked)[1]).toContain('there is no tool run_check')
    const { asked } = await play([EDIT, call('run_check', {}), DONE], { check })
    expect(lastResults(asked)[1]).toBe('failed\n<data from="the check">\nline 1: wrong\n</data>')
  })

  it('the second pass tells the agent what was wrong', async () => {
    const { asked, outcome } = await play([EDIT, DONE], { task: { rework: 'the tests fail' } })
    expect(asked[0]?.body.messages[1]?.content).toContain('the tests fail')
    expect(outcome.status).toBe('changed')
  })
})

describe('paths', () => {
  it.each([
    ['../outside.js', 'leaves the folder'],
    ['src/../../outside.js', 'leaves the folder'],
    ['/etc/passwd', 'is absolute'],
    ['.git/config', 'belongs to git'],
    ['src/.GIT/hooks', 'belongs to git'],
    ['docs/a.md', 'outside what you may change'],
    ['link.js', 'goes through a link'],
    ['src/linked/a.js', 'goes through a link'],
    ['src/a.js/b', 'goes through a file'],
    ['src', 'is a folder'],
  ])('the path %s is refused: %s', async (path, reason) => {
    const outside = aFolder()
    await writeFile(join(outside, 'a.js'), 'mine')
    const { asked, outcome } = await play([call('write_file', { path, content: 'x' }), DONE], {
      prepare: async (folder) => {
        await symlink(join(outside, 'a.js'), join(folder, 'link.js'))
        await symlink(outside, join(folder, 'src/linked'))
      },
    })
    expect(lastResults(asked)[0]).toContain(reason)
    expect(outcome.status).toBe('unchanged')
  })

  it('paths outside cannot be read, listed or searched', async () => {
    const outside = aFolder()
    await writeFile(join(outside, 'a.js'), 'mine')
    const { asked } = await play(
      [
        call('read_file', { path: 'linked/a.js' }),
        call('list_files', { folder: 'linked' }),
        call('search_text', { text: 'mine' }),
        call('read_file', { path: '../a.js' }),
        DONE,
      ],
      { prepare: (folder) => symlink(outside, join(folder, 'linked')) },
    )
    const [read, list, search, up] = lastResults(asked)
    expect(read).toContain('goes through a link')
    expect(list).toContain('goes through a link')
    expect(search).toBe('(not found)')
    expect(up).toContain('leaves the folder')
  })
})

describe('tools', () => {
  it('tools explain an edit that does not match', async () => {
    const files = { 'src/a.js': 'if (a) {\n    b()\n}\nb()\nb()\n' }
    const { asked } = await play(
      [
        call('edit_file', { path: 'src/a.js', old: 'if (a) {\n  b()', new: '' }),
        call('edit_file', { path: 'src/a.js', old: 'b()', new: '' }),
        call('edit_file', { path: 'src/a.js', old: 'gone()', new: '' }),
        call('edit_file', { path: 'a.js', old: 'b()', new: '' }),
        DONE,
      ],
      { files },
    )
    expect(lastResults(asked)).toEqual([
      'error: the text is not in src/a.js; its first line is on line 1, but what follows or its indentation differs',
      'error: the text occurs 3 times in src/a.js: include neighbouring lines to make it unique',
      'error: the text is not in src/a.js; read the file again',
      'error: a.js is outside what you may change (see Scope)',
    ])
  })

  it('an edit keeps CRLF line ends in an edit', async () => {
    const edit = call('edit_file', { path: 'src/a.js', old: 'one\ntwo', new: 'one\n2' })
    const { files } = await play([edit, DONE], { files: { 'src/a.js': 'one\r\ntwo\r\n' } })
    expect(files['src/a.js']).toBe('one\r\n2\r\n')
  })

  it('tools list, search and show ranges', async () => {
    const { asked } = await play([
      call('list_files', {}),
      call('search_text', { text: 'CONST B', ignore_case: true }),
      call('read_file', { path: 'src/a.js', from: 1, to: 1 }),
      call('read_file', { path: 'b.js' }),
      EDIT,
      DONE,
    ])
    expect(lastResults(asked).slice(0, 4)).toEqual([
      'src/a.js\nsrc/b.js',
      'src/b.js:1: export const b = 2',
      '1\texport const a = 1',
      'error: there is no file b.js; did you mean src/b.js?',
    ])
  })

  it('the repo map shows what files define, the most important first', async () => {
    const files = {
      'src/a.js': 'export function first(x) {\n  return x\n}\nclass Box {\n  open() {}\n}\n',
      'src/b.py': 'def second():\n    pass\n',
      'src/c.ts': "import { first } from './a.js'\nexport const third = () => 1\n",
    }
    const { asked } = await play([call('repo_map', { about: 'b' }), EDIT, DONE], { files })
    expect(lastResults(asked)[0]).toContain(
      'src/a.js\n  1: function first(x)\n  4: class Box\n    5: open() {}',
    )
    expect(lastResults(asked)[0]).toContain('src/b.py\n  1: def second()')
  })
})
