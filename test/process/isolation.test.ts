import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findIsolation } from '../../src/process/isolation/find-isolation.ts'
import type { IsolationRequest } from '../../src/process/isolation/isolation.ts'
import { aFolder, writeFiles } from '../support/repository.ts'
import { aRequest, hasNamespaces, isRoot, runEnclosed } from './enclosed-run.ts'

function openFolder(): string {
  const folder = aFolder()
  chmodSync(folder, 0o755)
  return folder
}

const anEnclosedRun = (line: string, changes: Partial<IsolationRequest> = {}, timeoutMs?: number) =>
  runEnclosed({ place: openFolder(), line, changes, ...(timeoutMs === undefined ? {} : { timeoutMs }) })

describe.runIf(hasNamespaces)('a command in namespaces', () => {
  it('a command is a separate user that sees only its own processes and environment', async () => {
    const { outcome } = await anEnclosedRun('id -u; ls /proc | grep -c "^[0-9]"; env | cut -d= -f1 | sort')
    expect(outcome).toMatchObject({ status: 'exited', exitCode: 0 })
    const [user, processes, ...names] = outcome.stdout.trim().split('\n')
    expect(user).toBe('65534')
    expect(Number(processes)).toBeLessThan(8)
    expect(names.filter((name) => !['PWD', '_', 'SHLVL'].includes(name))).toEqual([
      'KEPT',
      'LORELEY_GROUP',
      'PATH',
      'TRUSTED',
    ])
  })

  it('writes its own folder, reads the trusted one, and changes nothing there', async () => {
    const line = 'cat "$TRUSTED/measure" > copy; echo mine > "$TRUSTED/measure"; rm -rf "$TRUSTED"; echo done'
    const { own, trusted } = await anEnclosedRun(line)
    expect(readFileSync(join(own, 'copy'), 'utf8')).toBe('ours')
    expect(readFileSync(join(trusted, 'measure'), 'utf8')).toBe('ours')
  })

  it('rewrites no tool, although everybody may write it', async () => {
    const tools = mkdtempSync('/srv/loreley-')
    onTestFinished(() => rmSync(tools, { recursive: true, force: true }))
    writeFiles(tools, { bench: 'honest' })
    for (const path of [tools, join(tools, 'bench')]) chmodSync(path, 0o777)
    const line = `echo rigged > ${tools}/bench; echo x > ${tools}/new; echo x > made && cat ${tools}/bench; ls ${tools}`
    const { outcome } = await anEnclosedRun(line)
    expect(outcome.stdout).toBe('honestbench\n')
    expect(outcome.stderr.match(/Read-only file system/g)).toHaveLength(2)
  })

  it('writes its own folder, temporary ones and shared memory, and opens terminals', async () => {
    const line = `for at in . /tmp /var/tmp /dev/shm; do echo x > "$at/made" || echo "not $at"; done
echo x > /dev/null && python3 -c 'import pty; pty.openpty(); print("terminal")' && ls`
    const { outcome } = await anEnclosedRun(line)
    expect(outcome.stdout).toBe('terminal\nmade\n')
  })

  it('a command has private temporary folders', async () => {
    const name = `/tmp/loreley-leak-${process.pid}`
    const { outcome } = await anEnclosedRun(`ls -A /tmp /dev/shm; : > ${name} && echo written`)
    expect(outcome.stdout).toContain('written')
    expect(existsSync(name)).toBe(false)
  })

  it('reaches no network but its own', async () => {
    const dial = `const s=require('net').connect(53,'1.1.1.1');s.on('error',e=>{console.log(e.code);process.exit()});setTimeout(()=>process.exit(),3000)`
    const { outcome } = await anEnclosedRun(`node -e "${dial}"`)
    expect(outcome.stdout.trim()).toBe('ENETUNREACH')
  })

  it('a command cannot read the environment of its parent', async () => {
    const { outcome } = await anEnclosedRun('cat /proc/1/environ /proc/self/../1/environ; echo end')
    expect(outcome.stdout).toBe('end\n')
  })

  it('takes a daemon with it that left its group and cleared its environment', async () => {
    const daemon =
      'setsid env -i /bin/sh -c "while :; do date +%s%N > beat; sleep 0.05; done" >/dev/null 2>&1 &'
    const { own } = await anEnclosedRun(`${daemon} sleep 0.3`)
    const before = readFileSync(join(own, 'beat'), 'utf8')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(readFileSync(join(own, 'beat'), 'utf8')).toBe(before)
  })

  it('a command ends at its time limit, with everything it started', async () => {
    const { outcome } = await anEnclosedRun('trap "" TERM; setsid sleep 60 & sleep 60', {}, 400)
    expect(outcome.status).toBe('timed-out')
  })

  it('sees its own folder also below a folder that only root may enter', async () => {
    const place = aFolder()
    chmodSync(place, 0o700)
    expect(await findIsolation(aRequest(place))).toMatchObject({ status: 'found' })
  })

  it('sees what is shown of a hidden folder, and nothing that is hidden in that', async () => {
    const home = openFolder()
    for (const folder of ['tools/bin', 'tools/private', 'keys'])
      mkdirSync(join(home, folder), { recursive: true })
    for (const file of ['tools/credentials', 'tools/private/key', 'keys/key'])
      writeFileSync(join(home, file), 'k')
    const hidden = [home, join(home, 'tools/private'), join(home, 'tools/credentials')]
    const { outcome } = await anEnclosedRun(
      `cd ${home} && find . | sort; cat tools/credentials; : > tools/new`,
      {
        hidden,
        readOnly: [join(home, 'tools')],
      },
    )
    expect(outcome.stdout.split('\n').filter(Boolean)).toEqual([
      ...['.', './tools', './tools/bin', './tools/credentials', './tools/private'],
    ])
    expect(existsSync(join(home, 'tools/new'))).toBe(false)
  })

  it('sees nothing of a hidden folder under its real name, and what is shown under the given one', async () => {
    const [home, disk] = [openFolder(), mkdtempSync('/srv/loreley-')]
    onTestFinished(() => rmSync(disk, { recursive: true, force: true }))
    chmodSync(disk, 0o755)
    writeFiles(disk, {
      'repo/inputs': 'secret',
      'tools/bin/tool': 'tool ',
      'tools/keys/secret': '',
      'place/x': '',
    })
    symlinkSync(disk, join(home, 'work'))
    const named = (name: string) => join(home, 'work', name)
    const { outcome, own } = await runEnclosed({
      place: named('place'),
      line: `cat ${disk}/repo/inputs ${named('repo/inputs')}; ls ${named('tools/keys')} ${disk}/tools/keys
cat ${named('tools/bin/tool')} "$TRUSTED/measure"; echo mine > ${named('place/own/made')}; pwd`,
      changes: { hidden: [home, named('repo'), named('tools/keys')], readOnly: [named('tools')] },
    })
    expect(outcome.stdout).toContain(`tool ours${named('place/own')}\n`)
    expect(outcome.stdout).not.toContain('secret')
    expect(readFileSync(join(own, 'made'), 'utf8')).toBe('mine\n')
  })

  it.each([
    ['a folder there is hidden', []],
    ['all the usual places are', ['/mnt', '/media', '/srv']],
  ])('sees its own folder on a disk below /mnt, where %s', async (_, more) => {
    const place = mkdtempSync('/mnt/loreley-')
    onTestFinished(() => rmSync(place, { recursive: true, force: true }))
    chmodSync(place, 0o755)
    writeFiles(place, { 'work/key': 'k' })
    const { outcome, isolation } = await runEnclosed({
      place,
      line: `: > made && cat "$TRUSTED/measure"; ls -A ${place}/work /media /srv /sys`,
      changes: { hidden: ['/tmp', join(place, 'work'), ...more] },
    })
    expect(outcome.stdout).toMatch(/^ours[\s\S]*kernel/)
    expect(outcome.stdout).not.toContain('key')
    expect(existsSync(join(place, 'own/made'))).toBe(true)
    expect(isolation).toEqual({ level: 'namespace', network: 'none', user: 'other' })
  })

  it('a command may use the host network when the config allows it', async () => {
    const { outcome, isolation } = await anEnclosedRun('ls /sys/class/net; cat /proc/net/dev | wc -l', {
      network: 'host',
    })
    expect(isolation.network).toBe('host')
    expect(outcome.status).toBe('exited')
  })
})

describe.runIf(isRoot)('a command as another user', () => {
  it('a separate user cannot regain privileges', async () => {
    const { outcome, isolation } = await anEnclosedRun(
      'grep -E "CapBnd|NoNewPrivs" /proc/self/status; id -u',
      { levels: ['user'] },
    )
    expect(isolation).toEqual({ level: 'user', network: 'host', user: 'other' })
    expect(outcome.stdout).toMatch(/CapBnd:\s+0+\n/)
    expect(outcome.stdout).toMatch(/NoNewPrivs:\s+1/)
    expect(outcome.stdout).toMatch(/65534\n$/)
  })
})

describe('findIsolation', () => {
  it('tells why when no level works', async () => {
    const search = await findIsolation(aRequest(aFolder(), { path: '/nonexistent' }))
    expect(search).toMatchObject({ status: 'unavailable', detail: expect.stringMatching(/./) })
  })
})

describe.runIf(hasNamespaces)('findIsolation, as root,', () => {
  it('findIsolation skips a level in which programs on the PATH are out of reach', async () => {
    const closed = join(aFolder(), 'bin')
    mkdirSync(closed, { mode: 0o700 })
    const search = await findIsolation(aRequest(openFolder(), { hidden: [], entered: ['/usr/bin', closed] }))
    expect(search).toEqual({ status: 'unavailable', detail: `namespace: it cannot enter ${closed}` })
  })

  it('findIsolation skips a level that cannot read our files', async () => {
    const before = process.umask(0o077)
    onTestFinished(() => void process.umask(before))
    const search = await findIsolation(aRequest(openFolder()))
    expect(search).toMatchObject({ detail: expect.stringContaining('umask') })
  })
})
