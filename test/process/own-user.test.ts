import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { IsolationRequest } from '../../src/process/isolation/isolation.ts'
import { aFolder } from '../support/repository.ts'
import { bundleProgram, runProgram } from './bundled-program.ts'
import { hasUserNamespaces, isRoot, type runEnclosed, type Trial } from './enclosed-run.ts'

// Somebody without any rights: nobody's neighbour when we are root, else who we are.
const USER = isRoot ? 65_533 : (process.getuid?.() ?? 0)
let program = ''

beforeAll(async () => {
  program = await bundleProgram(
    "import { runEnclosed } from './enclosed-run.ts'",
    `async ({ removes, ...trial }) => {
      const ran = await runEnclosed(trial)
      if (removes) await ran.remove()
      return ran
    }`,
  )
})

function aPlace(): string {
  const place = aFolder()
  chmodSync(place, 0o755)
  if (isRoot) chownSync(place, USER, USER)
  return place
}

type Enclosed = Awaited<ReturnType<typeof runEnclosed>>

/** Lets that user run a line apart. */
async function asUser(
  line: string,
  changes: Partial<IsolationRequest> = {},
  place = aPlace(),
  more: Partial<Trial> & { readonly removes?: boolean } = {},
): Promise<Enclosed> {
  const order = { place, line, changes, ...more }
  return await runProgram(program, order, isRoot ? { uid: USER } : {})
}

describe.runIf(hasUserNamespaces)('a command of somebody without rights, in namespaces', () => {
  it('keeps its user, and has no privilege and no process in sight but its own', async () => {
    const { outcome, isolation } = await asUser(
      'id -u; ls /proc | grep -c "^[0-9]"; grep -E "^Cap|NoNewPrivs" /proc/self/status | tr -d "\\t"; cat /proc/1/environ',
    )
    expect(isolation).toEqual({ level: 'namespace', network: 'none', user: 'own' })
    const [user, processes, ...status] = outcome.stdout.trim().split('\n')
    expect(user).toBe(String(USER))
    expect(Number(processes)).toBeLessThan(8)
    const none = '0'.repeat(16)
    expect(status).toEqual([
      ...['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((set) => `${set}:${none}`),
      'NoNewPrivs:1',
    ])
  })

  it('writes its own folder and nothing else that its user could write', async () => {
    const place = aPlace()
    mkdirSync(join(place, 'elsewhere'))
    chmodSync(join(place, 'elsewhere'), 0o777)
    const line =
      'cat "$TRUSTED/measure" > copy; for at in "$TRUSTED" ../elsewhere /var/tmp; do echo x > "$at/measure"; done'
    // Nothing is hidden: what stops it is that all else is read-only.
    const { outcome, own, trusted } = await asUser(line, { hidden: [] }, place)
    expect(readFileSync(join(own, 'copy'), 'utf8')).toBe('ours')
    expect(readFileSync(join(trusted, 'measure'), 'utf8')).toBe('ours')
    expect(outcome.stderr.match(/Read-only file system/g)).toHaveLength(3)
  })

  it('a command cannot undo the hiding mounts in its own namespaces', async () => {
    const place = aPlace()
    const keys = join(place, 'keys')
    mkdirSync(keys)
    writeFileSync(join(keys, 'key'), 'a key')
    const inner = `umount ${keys}; mount -o remount,bind,rw /; cat ${keys}/key; : > ${place}/new`
    const line = `ls ${keys}; unshare --user --map-root-user --mount sh -c '${inner}'; ls ${place}`
    const { outcome } = await asUser(line, { hidden: [keys] }, place)
    expect(outcome.stdout.trim().split('\n').sort()).toEqual(
      ['isolation-trial', 'keys', 'own', 'trusted'].slice(1),
    )
  })

  it('works also where the usual places for other disks are hidden', async () => {
    const { outcome } = await asUser('ls -A /mnt; : > made && ls', { hidden: ['/mnt', '/media', '/srv'] })
    expect(outcome.stdout).toBe('made\n')
  })

  it('reaches no network', async () => {
    const dial = `const s=require('net').connect(53,'1.1.1.1');s.on('error',e=>{console.log(e.code);process.exit()});setTimeout(()=>process.exit(),3000)`
    const { outcome } = await asUser(`node -e "${dial}"`)
    expect(outcome.stdout.trim()).toBe('ENETUNREACH')
  })

  it('takes a daemon with it that left its group and cleared its environment', async () => {
    const daemon =
      'setsid env -i /bin/sh -c "while :; do date +%s%N > beat; sleep 0.05; done" >/dev/null 2>&1 &'
    const { own } = await asUser(`${daemon} sleep 0.3`)
    const before = readFileSync(join(own, 'beat'), 'utf8')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(readFileSync(join(own, 'beat'), 'utf8')).toBe(before)
  })

  it.each([
    ['unlinks', 'exec 3<> gone; rm gone; dd if=/dev/zero of=/dev/fd/3 bs=1M count=30 2> dd.log; sleep 600'],
    [
      'closes',
      'mkdir closed; dd if=/dev/zero of=closed/large bs=1M count=30 2> dd.log; chmod 0 closed; sleep 600',
    ],
  ])(
    'ends a command that takes too much disk in what it %s',
    async (_how, line) => {
      const more = { maxDiskBytes: 20 * 1024 ** 2, timeoutMs: 100_000 }
      const { outcome } = await asUser(line, {}, aPlace(), more)
      expect(outcome).toMatchObject({ status: 'disk-limit' })
    },
    120_000,
  )

  it('leaves no folder that cannot be removed', async () => {
    const { own } = await asUser('mkdir -p a/b && : > a/b/c && chmod 0 a/b a', {}, aPlace(), {
      removes: true,
    })
    expect(existsSync(own)).toBe(false)
  })

  it('refuses the level user without root', async () => {
    await expect(asUser('true', { levels: ['user'] })).rejects.toThrow('user: a separate user requires root')
  })
})
