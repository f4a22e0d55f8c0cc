import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findToolFolders } from '../../src/process/enclosure.ts'
import { findIsolation, type IsolationOrder } from '../../src/process/isolation.ts'
import { runGroup } from '../../src/process/run-group.ts'
import { aFolder } from '../support/repository.ts'

const PATH = process.env.PATH ?? ''
// Another user takes root. Elsewhere the same file shows that the lack is told.
const asRoot = process.platform === 'linux' && process.getuid?.() === 0

function anOrder(changes: Partial<IsolationOrder> = {}): IsolationOrder {
  const place = aFolder()
  chmodSync(place, 0o755)
  return {
    levels: ['namespace'],
    network: 'none',
    hidden: ['/tmp', '/var/tmp', '/dev/shm'],
    readOnly: [],
    sudo: false,
    place,
    path: PATH,
    ...changes,
  }
}

async function anEnclosedRun(line: string, changes: Partial<IsolationOrder> = {}, timeoutMs = 20_000) {
  const order = anOrder(changes)
  const search = await findIsolation(order)
  if (search.status === 'unavailable') throw new Error(search.detail)
  const own = join(order.place, 'own')
  const trusted = join(order.place, 'trusted')
  for (const folder of [own, trusted]) mkdirSync(folder)
  writeFileSync(join(trusted, 'measure'), 'ours')
  await search.isolation.give(own)
  const outcome = await runGroup({
    argv: ['/bin/sh', '-c', line],
    cwd: own,
    env: { PATH, TRUSTED: trusted, KEPT: 'yes' },
    timeoutMs,
    maxOutputBytes: 10_000,
    enclosure: { isolation: search.isolation, own, readOnly: [trusted] },
  })
  return { outcome, own, trusted, isolation: search.isolation }
}

describe.runIf(asRoot)('a command in namespaces', () => {
  it('is another user, who sees its own processes and its given environment only', async () => {
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

  it('has temporary folders that nobody else sees', async () => {
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

  it('cannot read the environment of what started it', async () => {
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

  it('is ended at its time limit, with everything it started', async () => {
    const { outcome } = await anEnclosedRun('trap "" TERM; setsid sleep 60 & sleep 60', {}, 400)
    expect(outcome.status).toBe('timed-out')
  })

  it('sees its own folder also below a folder that only root may enter', async () => {
    const order = anOrder()
    chmodSync(order.place, 0o700)
    const search = await findIsolation(order)
    expect(search.status).toBe('found')
  })

  it('may use the network of the machine when that is asked for', async () => {
    const { outcome, isolation } = await anEnclosedRun('ls /sys/class/net; cat /proc/net/dev | wc -l', {
      network: 'host',
    })
    expect(isolation.network).toBe('host')
    expect(outcome.status).toBe('exited')
  })
})

describe.runIf(asRoot)('a command as another user', () => {
  it('has no way back to privileges', async () => {
    const { outcome, isolation } = await anEnclosedRun(
      'grep -E "CapBnd|NoNewPrivs" /proc/self/status; id -u',
      {
        levels: ['user'],
        place: openFolder(),
      },
    )
    expect(isolation).toMatchObject({ level: 'user', network: 'host' })
    expect(outcome.stdout).toMatch(/CapBnd:\s+0+\n/)
    expect(outcome.stdout).toMatch(/NoNewPrivs:\s+1/)
    expect(outcome.stdout).toMatch(/65534\n$/)
  })
})

function openFolder(): string {
  const folder = aFolder()
  chmodSync(folder, 0o755)
  return folder
}

describe('findIsolation', () => {
  it('tells why when no level works', async () => {
    const search = await findIsolation(anOrder({ path: '/nonexistent' }))
    expect(search).toMatchObject({ status: 'unavailable', detail: expect.stringMatching(/./) })
  })
})

describe('findToolFolders', () => {
  it('names what the PATH needs of a home, and nothing else', () => {
    const home = aFolder()
    mkdirSync(join(home, '.cargo/bin'), { recursive: true })
    mkdirSync(join(home, '.ssh'))
    expect(findToolFolders(home, `/usr/bin:${home}/.cargo/bin:${home}/none/bin:${home}`)).toEqual([
      join(home, '.cargo'),
    ])
  })
})
