import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { createGitEnvironment, runGit } from '../../src/git/command.ts'

const MAIN = fileURLToPath(new URL('../../src/entrypoints/cli/main.ts', import.meta.url))

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

interface Facts {
  readonly url: string
  readonly apiUrl: string
  readonly folder: string
  readonly users: readonly { login: string; role: string; token: string }[]
  readonly apps: readonly { id: number; keyFile: string }[]
}

/** Runs `loreley sandbox --json` until `stop` is called, which is Ctrl-C. */
async function startCommand(...args: string[]): Promise<{ facts: Facts; stop(): Promise<number | null> }> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', MAIN, 'sandbox', '--json', '--port', '0', ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(child, 'exit')
  cleanups.push(async () => {
    if (child.exitCode === null) child.kill('SIGKILL')
    await ended
  })
  let text = ''
  for await (const piece of child.stdout) {
    text += String(piece)
    if (text.includes('\n')) break
  }
  const stop = async (): Promise<number | null> => {
    child.kill('SIGINT')
    await ended
    return child.exitCode
  }
  return { facts: JSON.parse(text), stop }
}

describe('loreley sandbox', () => {
  it('the command starts, serves clones, continues its state and stops on Ctrl-C', async () => {
    const root = await mkdtemp(join(tmpdir(), 'loreley-command-'))
    cleanups.push(() => rm(root, { recursive: true, force: true }))
    const folder = join(root, 'state')
    const first = await startCommand('--folder', folder)
    const { url, apiUrl, users, apps } = first.facts
    const environment = createGitEnvironment(process.env)
    await runGit({ args: ['clone', '-q', `${url}/acme/demo.git`, join(root, 'clone')], environment })
    expect(existsSync(join(root, 'clone', 'README.md'))).toBe(true)
    expect(existsSync(apps[0]?.keyFile ?? '')).toBe(true)
    expect(users.map((user) => user.role)).toEqual(['admin', 'write', 'triage', 'read', 'none'])
    const headers = { authorization: `Bearer ${users[1]?.token}` }
    const made = await fetch(`${apiUrl}/repos/acme/demo/issues`, {
      method: 'POST',
      headers,
      body: '{"title":"kept"}',
    })
    expect(made.status).toBe(201)
    expect(await first.stop()).toBe(0)
    const second = await startCommand('--folder', folder)
    const issue = await fetch(`${second.facts.apiUrl}/repos/acme/demo/issues/1`, { headers })
    expect(await issue.json()).toMatchObject({ title: 'kept' })
    expect(await second.stop()).toBe(0)
  })

  it('the command removes its temporary folder at the end', async () => {
    const { facts, stop } = await startCommand()
    expect(existsSync(facts.folder)).toBe(true)
    expect(await stop()).toBe(0)
    expect(existsSync(facts.folder)).toBe(false)
  })
})
