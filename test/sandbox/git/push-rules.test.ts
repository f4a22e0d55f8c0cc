import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gitEnvironment } from '../../support/repository.ts'
import { REPO, startReceiver, startTestBox, type TestBox } from '../support.ts'

const run = promisify(execFile)

async function clone(box: TestBox, token: string) {
  const folder = await mkdtemp(join(tmpdir(), 'loreley-clone-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const git = async (...args: string[]): Promise<string> => {
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
    const { stdout } = await run('git', [...identity, ...args], { cwd: folder, env: gitEnvironment })
    return stdout.trim()
  }
  const url = new URL(`${box.url}/acme/demo.git`)
  url.username = 'x-access-token'
  url.password = token
  await git('clone', '--quiet', url.href, '.')
  const commit = async (message: string): Promise<void> => {
    await writeFile(join(folder, 'file.txt'), message)
    await git('add', '.')
    await git('commit', '--quiet', '-m', message)
  }
  /** The server's message when it refuses. */
  const push = async (...refs: string[]): Promise<string> =>
    await git('push', '--quiet', 'origin', ...refs).then(
      () => 'pushed',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
  return { git, commit, push }
}

async function addRules(box: TestBox, include: string, rules: { type: string; parameters?: unknown }[]) {
  const conditions = { ref_name: { include: [include], exclude: [] } }
  const draft = { name: include, enforcement: 'active', conditions, rules }
  await box.as('olivia').request('POST /repos/acme/demo/rulesets', draft)
}

describe('rules for pushes', () => {
  it('rules refuse a push before any ref moves', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const { git, commit, push } = await clone(box, box.token('wendy'))
    await commit('fix: one')
    expect(await push('HEAD:refs/heads/kept/a')).toBe('pushed')
    await addRules(box, 'refs/heads/kept/**', [
      { type: 'creation' },
      { type: 'deletion' },
      { type: 'non_fast_forward' },
      { type: 'commit_message_pattern', parameters: { operator: 'starts_with', pattern: 'fix' } },
    ])
    await box.settled()
    receiver.received.length = 0
    const created = await push('HEAD:refs/heads/kept/b', 'HEAD:refs/heads/free')
    expect(created).toContain('GH013: Repository rule violations found for refs/heads/kept/b.')
    expect(created).toContain('- Cannot create ref due to creations being restricted.')
    expect(await push(':refs/heads/kept/a')).toContain('- Cannot delete this branch')
    await git('commit', '--quiet', '--amend', '-m', 'fix: other')
    expect(await push('+HEAD:refs/heads/kept/a')).toContain('- Cannot force-push to this branch')
    await git('reset', '--quiet', '--hard', 'origin/kept/a')
    await commit('feature: two')
    expect(await push('HEAD:refs/heads/kept/a')).toContain('- Commit message must start with')
    await box.settled()
    expect(receiver.names()).toEqual([])
    expect((await box.as('wendy').rest.git.listMatchingRefs({ ...REPO, ref: 'heads/' })).data).toHaveLength(2)
    await git('commit', '--quiet', '--amend', '-m', 'fix: two')
    expect(await push('HEAD:refs/heads/kept/a', 'HEAD:refs/kept/any')).toBe('pushed')
  })

  it('rules let a push by a bypass actor through', async () => {
    const box = await startTestBox()
    const conditions = { ref_name: { include: ['~ALL'], exclude: [] } }
    const bypass_actors = [{ actor_id: 5, actor_type: 'RepositoryRole' }]
    const draft = {
      name: 'all',
      enforcement: 'active',
      conditions,
      bypass_actors,
      rules: [{ type: 'update' }],
    }
    await box.as('olivia').request('POST /repos/acme/demo/rulesets', draft)
    const wendy = await clone(box, box.token('wendy'))
    await wendy.commit('one')
    expect(await wendy.push('HEAD:main')).toContain('- Cannot update this protected ref.')
    const olivia = await clone(box, box.token('olivia'))
    await olivia.commit('one')
    expect(await olivia.push('HEAD:main')).toBe('pushed')
  })
})
