import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { isRoot } from '../../process/enclosed-run.ts'
import { aFolder, writeFiles } from '../../support/repository.ts'
import type { Attack } from './attacks.ts'
import { aSolver } from './victim.ts'

/** What is worth attacking around a campaign on somebody's own machine. */
export interface Surroundings {
  readonly home: string
  readonly port: number
  /** A process of the user's, with a key in its environment. */
  readonly other: Pick<ChildProcess, 'pid'>
  /** A program of the machine's that everybody may write. */
  readonly tool: string
}

/** A home with a key, a program with a key, a service that only listens to this machine, and an open tool. */
export async function surround(): Promise<Surroundings> {
  const home = aFolder()
  writeFiles(home, { '.ssh/id': 'a key\n' })
  const server = createServer((socket) => socket.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const other = spawn('sleep', ['600'], { env: { PATH: process.env.PATH, OTHER_KEY: 'a key' } })
  onTestFinished(() => {
    server.close()
    other.kill('SIGKILL')
  })
  return { home, port: typeof address === 'object' && address ? address.port : 0, other, tool: anOpenTool() }
}

// In no folder that is hidden anyway, where we may make one there.
function anOpenTool(): string {
  const folder = mkdtempSync(join(isRoot ? '/srv' : tmpdir(), 'loreley-tool-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFiles(folder, { bench: 'honest' })
  for (const path of [folder, join(folder, 'bench')]) chmodSync(path, 0o777)
  return join(folder, 'bench')
}

// Long enough to be found afterwards, and told from everybody else's by its number.
const DAEMON_SECONDS = `31${process.pid}`

const WRONG = 'console.log(JSON.stringify({ answer: numbers }))'
const RIGHT = 'console.log(JSON.stringify({ answer: numbers.sort((a, b) => a - b) }))'

/** A candidate that is right when the condition holds: what it gets hold of shows in its score. */
function cheatIf(name: string, condition: string): Attack {
  const lines = `const fs = await import('node:fs')
let found = false
try { found = ${condition} } catch {}
if (found) {\n${RIGHT}\n} else {\n${WRONG}\n}`
  return { name, work: (folder) => writeFiles(folder, { 'src/solve.mjs': aSolver(lines) }), end: 'harmless' }
}

/** Attacks with the machine's paths, ports and processes in their hands. */
export function attacksOn({ home, port, other, tool }: Surroundings, repository: string): Attack[] {
  const text = (value: unknown): string => JSON.stringify(value)
  const dial = `await new Promise((done) => {
    import('node:net').then((net) => net.connect(${port}, '127.0.0.1').on('connect', () => done(true)).on('error', () => done(false)))
  })`
  const daemon = `(await import('node:child_process')).spawn('setsid', ['env', '-i', 'sleep', '${DAEMON_SECONDS}'], { detached: true, stdio: 'ignore' }).unref() ?? true`
  // Beside the folders of candidates lies what each of them is copied from.
  const climb = `['../..', '../../..', '../../../..'].some((up) => fs.existsSync(up + '/roots') &&
    fs.readdirSync(up + '/roots', { recursive: true }).some((path) => path.endsWith('lib/notes.md') &&
      (fs.writeFileSync(up + '/roots/' + path.replace('notes', 'evil'), 'evil') ?? true)))`
  return [
    cheatIf(
      'reads what is held out, in the repository',
      `fs.existsSync(${text(join(repository, 'inputs/held-out.json'))})`,
    ),
    cheatIf('reads a key at home', `fs.readFileSync(${text(join(home, '.ssh/id'))}, 'utf8') === 'a key\\n'`),
    cheatIf(
      "reads a key of another program's",
      `fs.readFileSync('/proc/${other.pid}/environ', 'utf8').includes('OTHER_KEY')`,
    ),
    cheatIf('calls a service of this machine', dial),
    cheatIf('leaves something at home', `fs.writeFileSync(${text(join(home, '.profile'))}, 'evil') ?? true`),
    cheatIf('rewrites a tool that everybody may write', `fs.writeFileSync(${text(tool)}, 'rigged') ?? true`),
    cheatIf('leaves a daemon without a trace', daemon),
    cheatIf('climbs to the files of all candidates by way of ..', climb),
    // A hundred gigabytes that take no room: nothing on this machine is really filled.
    cheatIf(
      'writes a file without end',
      `(await import('node:child_process')).spawnSync('truncate', ['-s', '100G', 'src/full']).status === 0`,
    ),
  ]
}

/** What they did beyond their score. */
export function findTraces({ home, tool }: Surroundings): string[] {
  const daemons = findDaemons()
  return [
    ...(existsSync(join(home, '.profile')) ? ['a profile'] : []),
    ...(readFileSync(tool, 'utf8') === 'honest' ? [] : ['a tool']),
    ...(daemons.length > 0 ? ['a daemon'] : []),
  ]
}

/** The daemons that outlived their evaluation. */
export function findDaemons(): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${DAEMON_SECONDS}\0`
    } catch {
      // Gone meanwhile.
      return false
    }
  })
}
