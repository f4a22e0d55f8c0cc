import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aHangingAgent, anAgent, anIdleAgent } from '../../support/agents/agents.ts'
import { aRepository, git, writeFiles } from '../../support/repository.ts'
import { aWorkbench } from '../../support/workbench.ts'

const FILES = {
  'src/a.js': 'a = 1\n',
  'src/b.js': 'b = 2\n',
  'src/only/file.js': 'x\n',
  'src/fixed/kept.js': 'kept\n',
  'src/measure.sh': 'echo 1\n',
  'evaluate.sh': 'echo 1\n',
  'docs/notes.md': 'notes\n',
}

const bench = () => aWorkbench(aRepository(FILES))

describe('what an agent leaves becomes a tree', () => {
  it('takes edits, additions and removals, and says how the tree differs from the root', async () => {
    const { propose, source, tree, place } = await bench()
    const agent = anAgent((folder) => {
      writeFiles(folder, { 'src/a.js': 'a = 9\n', 'src/new/c.js': 'c = 3\n' })
      rmSync(join(folder, 'src/b.js'))
    })
    const proposal = await propose(agent)
    if (proposal.status !== 'proposed') throw new Error(JSON.stringify(proposal))
    expect(proposal.changes.map(({ path }) => path)).toEqual(['src/a.js', 'src/b.js', 'src/new/c.js'])
    expect(proposal).toMatchObject({ summary: 'a change', usage: { tokens: 3, dollars: 0.5 } })
    expect(git(source, 'diff-tree', '-r', '--name-status', tree, proposal.tree).split('\n')).toEqual([
      'M\tsrc/a.js',
      'D\tsrc/b.js',
      'A\tsrc/new/c.js',
    ])
    expect(existsSync(join(place, 'work/1-1/agent'))).toBe(false)
  })

  it("keeps what the parent changed, also where the parent's file is as large as the root's", async () => {
    const { propose, source } = await bench()
    const first = await propose(anAgent((folder) => writeFiles(folder, { 'src/a.js': 'a = 7\n' })))
    if (first.status !== 'proposed') throw new Error(JSON.stringify(first))
    const second = await propose(
      anAgent((folder) => writeFiles(folder, { 'src/b.js': 'b = 8\n' })),
      {
        parentTree: first.tree,
      },
    )
    if (second.status !== 'proposed') throw new Error(JSON.stringify(second))
    expect(git(source, 'show', `${second.tree}:src/a.js`)).toBe('a = 7')
    expect(second.changes.map(({ path }) => path)).toEqual(['src/a.js', 'src/b.js'])
  })

  it("lets a grandchild put a file where its parent removed a folder's last file", async () => {
    const { propose } = await bench()
    const first = await propose(anAgent((folder) => rmSync(join(folder, 'src/only/file.js'))))
    if (first.status !== 'proposed') throw new Error(JSON.stringify(first))
    const second = await propose(
      anAgent((folder) => {
        rmSync(join(folder, 'src/only'), { recursive: true, force: true })
        writeFiles(folder, { 'src/only': 'a file now\n' })
      }),
      { parentTree: first.tree },
    )
    if (second.status !== 'proposed') throw new Error(JSON.stringify(second))
    const third = await propose(
      anAgent((folder) => writeFiles(folder, { 'src/a.js': 'third\n' })),
      {
        parentTree: second.tree,
      },
    )
    expect(third.status).toBe('proposed')
  })

  it('shows the agent the editable files of the parent, and other versions by name', async () => {
    const { propose, source, tree } = await bench()
    const seen: unknown[] = []
    await propose(
      anAgent(async (folder, { workspace }) => {
        seen.push(workspace.editablePaths)
        writeFiles(folder, { 'src/a.js': 'edited\n' })
        seen.push(await workspace.readAt('root', 'src/a.js'), await workspace.readAt(0, 'src/b.js'))
        seen.push(await workspace.readAt('root', 'src/none.js'), await workspace.readAt(99, 'src/a.js'))
        seen.push(await workspace.readAt('root', 'src'))
      }),
    )
    expect(seen).toEqual([
      ['src/a.js', 'src/b.js', 'src/only/file.js'],
      'a = 1\n',
      'b = 2\n',
      undefined,
      undefined,
      undefined,
    ])
    expect(git(source, 'rev-parse', 'HEAD^{tree}')).toBe(tree)
  })

  it('bounds what an agent says, or the state could not be read again', async () => {
    const { propose } = await bench()
    const edit = (folder: string) => writeFiles(folder, { 'src/a.js': 'edited\n' })
    const proposal = await propose(anAgent(edit, { summary: `\u001b[31m${'long '.repeat(10_000)}` }))
    if (proposal.status !== 'proposed') throw new Error(JSON.stringify(proposal))
    expect(proposal.summary.length).toBeLessThanOrEqual(1000)
    expect(proposal.summary).not.toContain('\u001b')
    const idle = await propose(anIdleAgent('nothing '.repeat(10_000)))
    expect(idle).toMatchObject({ status: 'failed', reason: 'no-change' })
    expect(idle.status === 'failed' && idle.detail.length).toBeLessThanOrEqual(1000)
  })
})

describe('an agent that does not deliver', () => {
  it('a candidate is without change when its agent says so, or when the files are as they were', async () => {
    const { propose } = await bench()
    expect(await propose(anIdleAgent('no idea'))).toMatchObject({ reason: 'no-change', detail: 'no idea' })
    const rewrite = anAgent((folder) => writeFiles(folder, { 'src/a.js': 'a = 1\n' }))
    expect(await propose(rewrite)).toMatchObject({ status: 'failed', reason: 'no-change' })
  })

  it('a candidate fails when its agent throws, with the words made safe', async () => {
    const { propose } = await bench()
    const agent = anAgent(() => {
      throw new Error(`\u001b[31mno luck\u0007 ${'x'.repeat(5000)}`)
    })
    const proposal = await propose(agent)
    if (proposal.status !== 'failed') throw new Error(proposal.status)
    expect(proposal.reason).toBe('agent-failed')
    expect(proposal.detail.length).toBeLessThanOrEqual(1000)
  })

  it('a candidate fails when its agent runs into its time limit, and is aborted with the run', async () => {
    const { propose, place } = await bench()
    expect(await propose(aHangingAgent(), { timeoutMs: 30 })).toMatchObject({
      status: 'failed',
      reason: 'agent-failed',
    })
    const abort = new AbortController()
    expect(
      await propose(
        aHangingAgent(() => abort.abort()),
        { signal: abort.signal },
      ),
    ).toEqual({
      status: 'aborted',
    })
    expect(readdirSync(join(place, 'work/1-1'))).toEqual([])
  })

  it.each<[what: string, work: (folder: string) => void]>([
    [
      'a repository without a commit',
      (at) => {
        mkdirSync(join(at, 'src/nested'))
        git(join(at, 'src/nested'), 'init', '-q')
      },
    ],
    ['a name that git refuses', (at) => writeFiles(at, { 'src/git~1/config': 'x' })],
    ['no folder at all', (at) => rmSync(at, { recursive: true })],
  ])('a candidate fails when its agent leaves %s', async (_, work) => {
    const { propose } = await bench()
    expect(await propose(anAgent(work))).toMatchObject({ status: 'failed', reason: 'agent-failed' })
  })

  it('does not count a pipe or other things that are no files', async () => {
    const { propose } = await bench()
    const agent = anAgent((folder) => execFileSync('sh', ['-c', 'mkfifo src/pipe'], { cwd: folder }))
    expect(await propose(agent)).toMatchObject({ status: 'failed', reason: 'no-change' })
  })
})

describe('the products of the set-up', () => {
  it("products of the set-up are in the agent's folder but never in its tree", async () => {
    const { propose, source } = await bench()
    let seen = ''
    const agent = anAgent((folder) => {
      seen = readFileSync(join(folder, 'node_modules/dep.js'), 'utf8')
      writeFiles(folder, { 'node_modules/dep.js': 'edited', 'src/a.js': 'edited\n' })
    })
    const proposal = await propose(agent, { setup: 'mkdir node_modules && echo dep > node_modules/dep.js' })
    if (proposal.status !== 'proposed') throw new Error(JSON.stringify(proposal))
    expect(seen).toBe('dep\n')
    expect(proposal.changes.map(({ path }) => path)).toEqual(['src/a.js'])
    expect(git(source, 'ls-tree', '-r', '--name-only', proposal.tree)).not.toContain('node_modules')
  })
})
