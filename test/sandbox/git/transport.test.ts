import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gitEnvironment } from '../../support/repository.ts'
import { openPull } from '../pulls/a-pull.ts'
import { REPO, startReceiver, startTestBox, type TestBox } from '../support.ts'

const run = promisify(execFile)

// Not execFileSync: it would block the server, which runs in this process.
async function git(folder: string, ...args: string[]): Promise<string> {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  const { stdout } = await run('git', [...identity, ...args], { cwd: folder, env: gitEnvironment })
  return stdout.trim()
}

async function clone(box: TestBox, token: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'loreley-clone-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await git(folder, 'clone', '--quiet', remote(box, token), '.')
  return folder
}

function remote(box: TestBox, token: string): string {
  const url = new URL(`${box.url}/acme/demo.git`)
  url.username = 'x-access-token'
  url.password = token
  return url.href
}

async function commitFile(folder: string, path: string, text: string): Promise<string> {
  await writeFile(join(folder, path), text)
  await git(folder, 'add', '.')
  await git(folder, 'commit', '--quiet', '-m', `write ${path}`)
  return await git(folder, 'rev-parse', 'HEAD')
}

describe('git over HTTP', () => {
  it('git clones what the API made, and the API shows what was pushed', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ private: true, webhookUrl: receiver.url })
    const api = box.as('wendy').rest
    const content = Buffer.from('by api\n').toString('base64')
    await api.repos.createOrUpdateFileContents({ ...REPO, path: 'api.txt', message: 'm', content })
    const folder = await clone(box, box.token('wendy'))
    expect(await readFile(join(folder, 'api.txt'), 'utf8')).toBe('by api\n')
    const pushed = await commitFile(folder, 'pushed.txt', 'by git\n')
    await git(folder, 'push', '--quiet', 'origin', 'HEAD:main', 'HEAD:refs/heads/side', 'HEAD:refs/evo/x')
    expect((await api.git.getRef({ ...REPO, ref: 'evo/x' })).data.object.sha).toBe(pushed)
    expect((await api.repos.getBranch({ ...REPO, branch: 'main' })).data.commit.sha).toBe(pushed)
    await git(folder, 'push', '--quiet', 'origin', ':side')
    await box.settled()
    const last = receiver.received.filter(({ event }) => event !== 'check_suite').slice(-5)
    expect(last.map((one) => one.event)).toEqual(['push', 'create', 'push', 'push', 'delete'])
    expect(last[0]?.payload).toMatchObject({
      after: pushed,
      pusher: { name: 'wendy' },
      commits: [{ id: pushed }],
    })
  })

  it('git over HTTP asks for a token and refuses one without permission', async () => {
    const box = await startTestBox({ private: true })
    const folder = await clone(box, box.token('rita'))
    await commitFile(folder, 'x', 'x')
    await expect(git(folder, 'push', remote(box, box.token('rita')), 'HEAD:main')).rejects.toThrow(/403/)
    await expect(git(folder, 'ls-remote', remote(box, box.token('sam')))).rejects.toThrow(/not found/i)
    await expect(git(folder, 'ls-remote', `${box.url}/acme/demo.git`)).rejects.toThrow(
      /could not read Username|Authentication/i,
    )
    await expect(git(folder, 'ls-remote', remote(box, 'nope'))).rejects.toThrow(/Authentication failed/)
    expect(await git(folder, 'ls-remote', remote(box, box.token('rita')), 'main')).toContain(
      'refs/heads/main',
    )
  })

  it('a push that loses commits is refused, and shallow and partial clones work', async () => {
    const box = await startTestBox()
    const [one, two] = [await clone(box, box.token('wendy')), await clone(box, box.token('wendy'))]
    await commitFile(one, 'one', '1')
    await git(one, 'push', '--quiet', 'origin', 'HEAD:main')
    await commitFile(two, 'two', '2')
    await expect(git(two, 'push', 'origin', 'HEAD:main')).rejects.toThrow(/rejected/)
    await git(two, 'clone', '--quiet', '--depth=1', '--filter=blob:none', remote(box, ''), 'shallow')
    expect(await git(join(two, 'shallow'), 'rev-list', '--count', 'HEAD')).toBe('1')
  })

  it('a push of changed workflows by an App without permission is refused', async () => {
    const box = await startTestBox({ files: { '.github/workflows/ci.yml': 'on: push\n' } })
    const weak = await box.app().rest.apps.createInstallationAccessToken({
      installation_id: 1,
      permissions: { contents: 'write' },
    })
    const folder = await clone(box, weak.data.token)
    await commitFile(folder, 'plain.txt', 'x')
    await git(folder, 'push', '--quiet', 'origin', 'HEAD:refs/heads/plain')
    await commitFile(folder, '.github/workflows/ci.yml', 'on: create\n')
    await expect(git(folder, 'push', 'origin', 'HEAD:refs/heads/evil')).rejects.toThrow(
      /without `workflows` permission/,
    )
    box.settings.guardWorkflows = false
    await git(folder, 'push', '--quiet', 'origin', 'HEAD:refs/heads/evil')
  })

  it('a pull request without its branch can be fetched but not pushed to', async () => {
    const box = await startTestBox()
    const wendy = box.as('wendy')
    const { pull_number, sha } = await openPull(wendy)
    await wendy.rest.pulls.get({ ...REPO, pull_number })
    const merge = await wendy.rest.git.getRef({ ...REPO, ref: `pull/${pull_number}/merge` })
    await wendy.rest.git.deleteRef({ ...REPO, ref: 'heads/topic' })
    const folder = await clone(box, box.token('wendy'))
    await git(folder, 'fetch', '--quiet', 'origin', `refs/pull/${pull_number}/head`)
    expect(await git(folder, 'rev-parse', 'FETCH_HEAD')).toBe(sha)
    await git(folder, 'fetch', '--quiet', 'origin', `refs/pull/${pull_number}/merge`)
    expect(await git(folder, 'rev-parse', 'FETCH_HEAD')).toBe(merge.data.object.sha)
    await expect(git(folder, 'push', 'origin', `HEAD:refs/pull/${pull_number}/head`)).rejects.toThrow()
  })
})
