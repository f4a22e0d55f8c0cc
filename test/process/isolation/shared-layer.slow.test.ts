import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { aFolder, writeFiles } from '../../support/repository.ts'
import { bundleProgram, runProgram } from '../bundled-program.ts'
import { hasNamespaces, hasUserNamespaces, isRoot, type runEnclosed, type Trial } from '../enclosed-run.ts'

const OWN = isRoot ? 65_533 : (process.getuid?.() ?? 0)
const WAYS = [
  ...(hasNamespaces ? [{ name: 'as another user', host: 0 }] : []),
  ...(hasUserNamespaces ? [{ name: 'as our own user', host: OWN }] : []),
]

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

/** A folder that all candidates share. It belongs to their user. */
function aLower(host: number): string {
  const lower = join(aFolder(), 'lower')
  writeFiles(lower, {
    'node_modules/a/index.js': 'a',
    'node_modules/b/index.js': 'b',
    'node_modules/c/deep/file': 'c',
    tool: '#!/bin/sh\necho tool\n',
  })
  chmodSync(join(lower, 'tool'), 0o755)
  for (const path of ['node_modules/a/index.js', 'node_modules/b/index.js', 'tool', 'node_modules/a'])
    utimesSync(join(lower, path), 1000, 1000)
  chmodSync(join(lower, '..'), 0o755)
  const user = host || 65_534
  if (isRoot) spawnSync('chown', ['-R', `${user}:${user}`, join(lower, '..')])
  return lower
}

type Enclosed = Awaited<ReturnType<typeof runEnclosed>>

async function run(
  host: number,
  lower: string,
  line: string,
  more: Partial<Trial> & { removes?: boolean } = {},
) {
  const place = aFolder()
  chmodSync(place, 0o755)
  if (isRoot) chownSync(place, host, host)
  const trial = { place, line, lower, ...more }
  const ran: Enclosed = await runProgram(program, trial, isRoot ? { uid: host } : {})
  return { ...ran, place, said: ran.outcome.stdout + ran.outcome.stderr }
}

/** Everything that can be told about the files, apart from when they were last read. */
function fingerprint(folder: string): string {
  const line = `find . -printf '%p %y %m %U %G %s %n %i %T@ %C@ %l\\n' | sort; find . -type f | sort | xargs sha256sum`
  const xattrs = `python3 -c "import os; print([(r, n, os.listxattr(os.path.join(r, n))) for r, d, f in os.walk('.') for n in sorted(d + f)])"`
  const { stdout, status } = spawnSync('sh', ['-c', `${line}; ${xattrs}`], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error('no fingerprint')
  return stdout
}

/** What a hostile candidate does to shared files, and how the next would notice. */
const TRICKS: Readonly<Record<string, readonly [line: string, look: string]>> = {
  writes: [
    'echo evil > node_modules/a/index.js && cat node_modules/a/index.js',
    'cat node_modules/a/index.js',
  ],
  appends: [
    'echo evil >> node_modules/a/index.js && cat node_modules/a/index.js',
    'cat node_modules/a/index.js',
  ],
  'makes new files': ['echo evil > node_modules/a/new && cat node_modules/a/new', 'cat node_modules/a/new'],
  deletes: ['rm -rf node_modules && echo evil', '[ -e node_modules/a/index.js ] || echo evil'],
  'replaces a folder': [
    'rm -rf node_modules/a && mkdir node_modules/a && echo evil > node_modules/a/index.js && echo evil',
    'cat node_modules/a/index.js',
  ],
  renames: [
    'mv node_modules/a/index.js moved && mv node_modules/b node_modules/evil && ls node_modules',
    'ls node_modules; [ -e node_modules/a/index.js ] || echo evil',
  ],
  'changes modes and dates': [
    'chmod 777 tool node_modules/a && touch -d @5000 tool node_modules/a && echo evil',
    '[ $(stat -c %Y tool) = 1000 ] && [ $(stat -c %a tool) = 755 ] && [ $(stat -c %Y node_modules/a) = 1000 ] || echo evil',
  ],
  'sets extended attributes': [
    `python3 -c "import os; os.setxattr('tool', 'user.x', b'evil'); print(os.getxattr('tool', 'user.x'))"`,
    `python3 -c "import os; print(os.getxattr('tool', 'user.x'))"`,
  ],
  'forges marks of the overlay': [
    `python3 -c "
import os
os.mkdir('node_modules/d')
for name in ('user.overlay.opaque', 'user.overlay.redirect', 'trusted.overlay.opaque', 'user.overlay.metacopy'):
    try: os.setxattr('node_modules/a', name, b'y')
    except OSError: pass
print('evil')"`,
    '[ -e node_modules/a/index.js ] || echo evil; [ ! -e node_modules/d ] || echo evil',
  ],
  'makes hard links and writes through them': [
    'ln node_modules/a/index.js linked && echo evil > linked && cat linked',
    'cat node_modules/a/index.js; [ ! -e linked ] || echo evil',
  ],
  'writes through a descriptor that was open before': [
    `python3 -c "
import os
reader = os.open('node_modules/a/index.js', os.O_RDONLY)
try: os.write(os.open('/proc/self/fd/%d' % reader, os.O_RDWR), b'evil')
except OSError: pass
os.ftruncate(os.open('tool', os.O_RDWR), 0)
print('evil')"`,
    'cat node_modules/a/index.js; [ -s tool ] || echo evil',
  ],
  'leaves whiteouts': [
    'rm node_modules/b/index.js; mknod node_modules/c/deep/file c 0 0; mknod node_modules/a/w c 0 0; echo evil',
    '[ -e node_modules/b/index.js ] && [ -f node_modules/c/deep/file ] || echo evil',
  ],
  'maps a file and writes there': [
    `python3 -c "
import mmap, os
with open('node_modules/a/index.js', 'r+b') as file:
    file.truncate(4); mapped = mmap.mmap(file.fileno(), 4); mapped[:] = b'evil'; mapped.flush()
print(open('node_modules/a/index.js').read())"`,
    'cat node_modules/a/index.js',
  ],
}

describe.each(WAYS)('files that candidates share, $name,', ({ host }) => {
  it.each(Object.entries(TRICKS))(
    'one candidate %s, and neither the template nor the next one sees it',
    async (_, trick) => {
      const [line, look] = trick
      const lower = aLower(host)
      const before = fingerprint(lower)
      expect((await run(host, lower, line, { removes: true })).said).toContain('evil')
      expect(fingerprint(lower)).toBe(before)
      expect((await run(host, lower, look)).said).not.toContain('evil')
    },
  )

  it('runs them, and reads what is its own before what is shared', async () => {
    const lower = aLower(host)
    const { said } = await run(
      host,
      lower,
      './tool; cat node_modules/b/index.js; mkdir -p node_modules/.cache && echo made',
    )
    expect(said).toBe('tool\nbmade\n')
  })

  it('what a command writes there is where its host reads it', async () => {
    const { own, place } = await run(
      host,
      aLower(host),
      'mkdir -p node_modules/a/out && echo 42 > node_modules/a/out/metrics.json',
    )
    expect(readFileSync(join(own, 'node_modules/a/out/metrics.json'), 'utf8')).toBe('42\n')
    expect(existsSync(join(place, 'own/node_modules/b'))).toBe(false)
  })

  it("a candidate cannot reach the shared files or the kernel's folder around the overlay", async () => {
    const lower = aLower(host)
    const { said } = await run(
      host,
      lower,
      `ls ${join(lower, '..')} ../work; unshare --user --map-root-user --mount sh -c 'umount "$PWD"; mount --bind .. /mnt; ls /mnt/own'; echo end`,
    )
    expect(said).toContain('end')
    expect(said).not.toMatch(/^lower$|^index$/m)
    expect(said).toMatch(/No such file or directory[\s\S]*No such file or directory/)
  })

  it('the disk allowance counts what a candidate changes there, and not what it shares', async () => {
    const lower = aLower(host)
    writeFileSync(join(lower, 'large'), Buffer.alloc(30 * 1024 ** 2, 1))
    if (isRoot) chownSync(join(lower, 'large'), host || 65_534, host || 65_534)
    const limit = { maxDiskBytes: 20 * 1024 ** 2, timeoutMs: 100_000 }
    const reading = await run(host, lower, 'cat large > /dev/null; sleep 1', limit)
    expect(reading.outcome).toMatchObject({ status: 'exited', exitCode: 0 })
    const copying = await run(host, lower, 'touch -d @1 large; echo x >> large; sleep 600', limit)
    expect(copying.outcome).toMatchObject({ status: 'disk-limit' })
  }, 120_000)

  it('everything that a candidate leaves can be removed', async () => {
    const line = `rm -rf node_modules/b; chmod 0 node_modules/c/deep node_modules/c
perl -e 'for (1 .. 3000) { mkdir "d"; chdir "d" or die }'; echo end`
    const { said, own } = await run(host, aLower(host), line, { removes: true })
    expect(said).toContain('end')
    expect(existsSync(own)).toBe(false)
  })

  it('two commands in one folder see what the first one wrote and deleted', async () => {
    const lower = aLower(host)
    const place = aFolder()
    chmodSync(place, 0o755)
    if (isRoot) chownSync(place, host, host)
    await run(host, lower, 'rm node_modules/a/index.js; echo more > node_modules/b/more', { place })
    const { said } = await run(host, lower, 'cat node_modules/a/index.js; cat node_modules/b/more', { place })
    expect(said).toMatch(/^more$/m)
    expect(said).toContain('No such file')
  })
})
