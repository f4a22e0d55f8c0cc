import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REPO } from '../support.ts'
import { startJobWorkspace, writeFiles } from './stand-in-steps.ts'

const CHECKOUT = 'actions/checkout@v5'
const FILES = { 'README.md': '# demo\n', 'docs/guide.md': 'read\n', 'src/a.txt': 'one\n' }

describe('the stand-in for actions/checkout', () => {
  it("checkout takes the run's commit on its branch, and its token goes when the job ends", async () => {
    const job = await startJobWorkspace(FILES)
    const done = await job.step(CHECKOUT)
    expect(done).toMatchObject({ exitCode: 0 })
    const head = await job.git('rev-parse', 'HEAD')
    expect(done.outputs).toEqual({ ref: 'refs/heads/main', commit: head })
    expect(await job.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main')
    expect(await job.git('rev-list', '--count', 'HEAD')).toBe('1')
    expect(await job.git('fetch', 'origin')).not.toContain('fatal')
    const config = join(job.workspace, '.git', 'config')
    expect(readFileSync(config, 'utf8')).toContain('AUTHORIZATION: basic')
    expect((await job.post(CHECKOUT, done.state)).exitCode).toBe(0)
    expect(readFileSync(config, 'utf8')).not.toContain('AUTHORIZATION')
  })

  it("checkout keeps the run's commit when the branch has moved on", async () => {
    const job = await startJobWorkspace(FILES)
    await job.box.as('wendy').rest.repos.createOrUpdateFileContents({
      ...REPO,
      path: 'later.txt',
      message: 'later',
      content: 'eA==',
    })
    for (const depth of ['1', '0']) {
      expect((await job.step(CHECKOUT, { 'fetch-depth': depth })).exitCode).toBe(0)
      expect(existsSync(join(job.workspace, 'later.txt'))).toBe(false)
    }
    expect((await job.step(CHECKOUT, { ref: 'main', 'fetch-depth': '0' })).exitCode).toBe(0)
    expect(existsSync(join(job.workspace, 'later.txt'))).toBe(true)
    expect(await job.git('rev-list', '--count', 'HEAD')).toBe('2')
  })

  it('checkout takes tags, commits and subfolders, and leaves no token when told so', async () => {
    const job = await startJobWorkspace(FILES)
    const { git } = job.box.as('wendy').rest
    const sha = (await git.getRef({ ...REPO, ref: 'heads/main' })).data.object.sha
    await git.createRef({ ...REPO, ref: 'refs/tags/v1', sha })
    const inputs = { path: 'sub/tree', 'persist-credentials': 'false' }
    for (const ref of ['v1', 'refs/tags/v1', sha]) {
      const done = await job.step(CHECKOUT, { ...inputs, ref })
      expect(done).toMatchObject({ exitCode: 0, outputs: { ref, commit: sha } })
    }
    const config = readFileSync(join(job.workspace, 'sub/tree/.git/config'), 'utf8')
    expect(config).not.toContain('AUTHORIZATION')
    expect(await job.git('-C', 'sub/tree', 'status', '--porcelain')).toBe('')
  })

  it('a sparse checkout takes only some paths and discards earlier files', async () => {
    const job = await startJobWorkspace(FILES)
    await writeFiles(job.workspace, { 'old/left.txt': 'x' })
    expect((await job.step(CHECKOUT, { 'sparse-checkout': 'docs\n' })).exitCode).toBe(0)
    const has = (name: string) => existsSync(join(job.workspace, name))
    expect([has('docs/guide.md'), has('src/a.txt'), has('old')]).toEqual([true, false, false])
    await writeFiles(job.workspace, { 'docs/made.txt': 'x', 'docs/guide.md': 'changed' })
    expect((await job.step(CHECKOUT, { clean: 'false', 'sparse-checkout': 'docs\n' })).exitCode).toBe(0)
    expect(has('docs/made.txt')).toBe(true)
    expect((await job.step(CHECKOUT, { 'sparse-checkout': 'docs\n' })).exitCode).toBe(0)
    expect(has('docs/made.txt')).toBe(false)
  })

  it('a failing checkout says what is wrong and leaves no token behind', async () => {
    const job = await startJobWorkspace(FILES)
    const wrong: [inputs: Record<string, string>, message: string][] = [
      [{ ref: 'nowhere' }, 'no branch or tag "nowhere"'],
      [{ path: '../out' }, 'is outside'],
      [{ repository: 'demo' }, 'is not owner/name'],
      [{ repository: 'acme/none' }, 'not found'],
      [{ submodules: 'recursive' }, 'does not support "submodules: recursive"'],
      [{ 'ssh-key': 'k' }, 'map the action to a folder'],
      [{ 'fetch-depth': 'deep' }, '"fetch-depth" must be'],
    ]
    for (const [inputs, message] of wrong) {
      const { exitCode, log } = await job.step(CHECKOUT, inputs)
      expect([exitCode, log]).toEqual([1, expect.stringContaining(message)])
    }
    expect(readFileSync(join(job.workspace, '.git', 'config'), 'utf8')).not.toContain('AUTHORIZATION')
  })
})
