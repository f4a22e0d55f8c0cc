import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runActionStep } from '../support/action/action-step.ts'
import { buildAction } from '../support/action/built-action.ts'
import { aFolder, aRepository } from '../support/repository.ts'

const USER = '12345'

// GitHub's runner is such a user. Its account and its right to sudo are in sight of this one process tree only, which
// is also all that it can see and kill: the machine of the test stays as it was.
const AS_SUDOER = `set -e
for file in passwd group; do cp "/etc/$file" "$1/$file"; done
echo 'runner:*:${USER}:${USER}::/:/bin/sh' >> "$1/passwd"
echo 'runner:*:${USER}:' >> "$1/group"
for file in passwd group; do mount -n --bind "$1/$file" "/etc/$file"; done
mount -n -t tmpfs -o mode=755 loreley /etc/sudoers.d
echo 'runner ALL=(ALL:ALL) NOPASSWD: ALL' > /etc/sudoers.d/runner
chmod 440 /etc/sudoers.d/runner
shift
setpriv --reuid=${USER} --regid=${USER} --clear-groups "$@"`

// Each run looks for the daemon of the one before it, which has left its group and cleared its environment.
const EVALUATOR = `import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
const read = (file) => { try { return readFileSync(file, 'utf8') } catch { return '' } }
const processes = readdirSync('/proc').filter((name) => /^\\d+$/.test(name))
const daemons = processes.filter((pid) => read(\`/proc/\${pid}/cmdline\`) === 'sleep\\0' + '4321\\0').length
const environments = processes.filter((pid) => read(\`/proc/\${pid}/environ\`).includes('RUNNER_TEMP')).length
spawn('setsid', ['env', '-i', 'sleep', '4321'], { detached: true, stdio: 'ignore' }).unref()
writeFileSync('left-behind', '')
let rights = 0
try { writeFileSync(process.env.LORELEY_TRUSTED + '/evaluate.mjs', ''); rights = 1 } catch {}
const offline = await new Promise((done) => connect(53, '192.0.2.1').on('error', ({ code }) => done(code === 'ENETUNREACH' ? 1 : 0)))
setTimeout(() => console.log(JSON.stringify({ score: 42, user: process.getuid(), daemons, environments, rights, offline })), 200)
`

let place = ''
let action = ''
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'loreley-sudo-'))
  chmodSync(place, 0o755)
  action = join(buildAction(place), 'action')
}, 180_000)
afterAll(() => rmSync(place, { recursive: true, force: true }))

// What only root finds: 30 MB in a folder that is closed to others, and as much in a file that has no name any more.
const FILLER = `import * as fs from 'node:fs'
const fill = (fileOf) => { for (let n = 0; n < 30; n++) fs.writeFileSync(fileOf(n), Buffer.alloc(1024 ** 2, 1)) }
fs.mkdirSync('closed')
fill((n) => 'closed/' + n)
fs.chmodSync('closed', 0)
const gone = fs.openSync('gone', 'w')
fs.unlinkSync('gone')
fill(() => gone)
setInterval(() => {}, 1000)
`

/** Measures a repository with the built action, as a user who may become root, or as root in a container. */
function validate(
  isolation: string,
  who: 'a user with sudo' | 'root' = 'a user with sudo',
  evaluator = EVALUATOR,
) {
  const config = `
goal: Stay apart.
scope: { editable: [src/**] }
objectives: [{ metric: score, direction: maximize }]
evaluation: { command: node "$LORELEY_TRUSTED/evaluate.mjs", isolation: ${isolation}, max_disk_mb: 40 }
`
  const workspace = aRepository({ '.loreley.yml': config, 'evaluate.mjs': evaluator, 'src/a.mjs': '' })
  const [temp, accounts] = [aFolder(), aFolder()]
  const prepared = () => void execFileSync('chown', ['-R', `${USER}:${USER}`, workspace, temp])
  const tree = ['unshare', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child']
  const script = who === 'root' ? 'shift; "$@"' : AS_SUDOER
  const through = [...tree, '/bin/sh', '-c', script, 'runner', accounts]
  return runActionStep(
    action,
    { workspace, temp },
    { step: 'evaluate', kind: 'validate' },
    { through, prepared },
  )
}

function samplesOf({ result, stdout }: ReturnType<typeof validate>) {
  if (result?.outcome.status !== 'measured') throw new Error(`${JSON.stringify(result?.outcome)}\n${stdout}`)
  return result.outcome.samples.map(({ metrics }) => metrics)
}

describe('the built action, of a user with sudo,', () => {
  it.each(['namespace', 'auto'])(
    'puts candidates into namespaces, as nobody (%s)',
    (isolation) => {
      const ended = validate(isolation)
      const seen = { score: 42, user: 65_534, daemons: 0, environments: 0, rights: 0, offline: 1 }
      expect(samplesOf(ended)).toEqual([seen, seen, seen])
      expect(ended.result?.isolation).toEqual({ level: 'namespace', network: 'none' })
      expect(ended.summary).toContain('separate user and namespaces, no network')
      // Not even files of nobody, which only root can remove.
      const left = readdirSync(tmpdir()).filter((name) => {
        const isOfTheAction = /^loreley-\w{6}$/.test(name)
        const facts = isOfTheAction && lstatSync(join(tmpdir(), name), { throwIfNoEntry: false })
        return facts && facts.uid === Number(USER)
      })
      expect(left).toEqual([])
    },
    120_000,
  )

  it.each(['a user with sudo', 'root'] as const)(
    'makes them nobody without namespaces, and leaves no process of theirs alive (%s)',
    (who) => {
      const ended = validate('user', who)
      const seen = { score: 42, user: 65_534, daemons: 0, environments: 0, rights: 0 }
      expect(samplesOf(ended)).toEqual(
        [seen, seen, seen].map((one) => ({ ...one, offline: expect.any(Number) })),
      )
      expect(ended.result?.isolation).toEqual({ level: 'user', network: 'host' })
      expect(ended.summary).toContain('separate user, host network')
    },
    120_000,
  )

  it.each(['namespace', 'user'])(
    'ends what fills the disk where that user cannot look (%s)',
    (level) => {
      const { result } = validate(level, 'a user with sudo', FILLER)
      expect(result?.outcome).toMatchObject({
        status: 'failed',
        reason: 'disk-limit',
        detail: expect.stringMatching(/it took \d+ MB of disk in 3\d files; 40 MB is the limit/),
      })
    },
    120_000,
  )
})
