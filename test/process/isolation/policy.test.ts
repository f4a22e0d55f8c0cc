import { chmodSync, chownSync, mkdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { writePrograms } from '../../../src/process/isolation/candidate-launcher.ts'
import type { IsolatedLevel } from '../../../src/process/isolation/isolation.ts'
import { aFolder } from '../../support/repository.ts'
import { bundleProgram, runProgram } from '../bundled-program.ts'
import { hasNamespaces, hasUserNamespaces, isRoot, type runEnclosed } from '../enclosed-run.ts'

const OWN = isRoot ? 65_533 : (process.getuid?.() ?? 0)

interface Column {
  readonly name: string
  readonly level: IsolatedLevel
  readonly host: number
}

const COLUMNS: readonly Column[] = [
  ...(hasNamespaces ? [{ name: 'root', level: 'namespace' as const, host: 0 }] : []),
  ...(hasUserNamespaces ? [{ name: 'own user', level: 'namespace' as const, host: OWN }] : []),
  ...(isRoot ? [{ name: 'user', level: 'user' as const, host: 0 }] : []),
]

const NAMESPACES = { 'user namespace': 'user', 'PID namespace': 'pid', 'mount namespace': 'mnt' } as const
const MORE = {
  'network namespace': 'net',
  'IPC namespace': 'ipc',
  'UTS namespace': 'uts',
  'cgroup namespace': 'cgroup',
} as const
const SPACES = { ...NAMESPACES, ...MORE }

/** What a program prints about a row. */
const PROBES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(SPACES).map(([row, name]) => [row, `readlink /proc/self/ns/${name}`])),
  keyrings: `perl -e 'my ($t, $n, $v) = ("user", "policy", "x"); print syscall(248, $t, $n, $v, 1, -4) < 0 ? $! + 0 : "allowed"'`,
  seccomp: `grep ^Seccomp: /proc/self/status | tr -dc 0-9; perl -e 'print defined shmget(0, 64, 0600) ? " shm" : " none"'`,
  '/proc': `[ $(ls /proc | grep -c '^[0-9]') -lt 12 ] && echo own || echo all`,
  '/dev': '[ -e /dev/kmsg ] && echo kmsg; [ -e /dev/null ] && echo null; ls /dev/pts | grep -c "^[0-9]"',
  '/tmp, /var/tmp, /dev/shm':
    'for at in /tmp /var/tmp /dev/shm; do true > $at/policy-$$ && rm $at/policy-$$ && echo yes; done; [ -e "$MARK" ] && echo shared',
  '/run, /dev/mqueue': 'ls -A /run | head -1',
  'HOME and TMPDIR': 'echo $HOME $TMPDIR; ls -A $HOME $TMPDIR | grep planted',
  'other files': 'true > /etc/policy; true > $TRUSTED/policy; true > policy && echo own',
  capabilities:
    'grep -E "^Cap(Inh|Prm|Eff|Bnd|Amb)" /proc/self/status | tr -dc "1-9a-f\\n" | tr -d "CapInhrmEfBdb\\n"',
  no_new_privs: 'grep NoNewPrivs /proc/self/status | tr -dc 0-9',
  limits:
    'ulimit -c; grep -E "Max processes" /proc/self/limits | tr -s " " | cut -d" " -f3; grep "Max file size" /proc/self/limits | tr -s " " | cut -d" " -f4',
  descriptors: 'ls /proc/self/fd | tr "\\n" " "; readlink /proc/self/fd/0',
  orphans: 'true',
  'a killed host': 'true',
}

// The two last have tests of their own: nothing-outlives.slow.test.ts.
const ELSEWHERE = ['orphans', 'a killed host']

let program = ''
beforeAll(async () => {
  program = await bundleProgram(
    "import { runEnclosed } from './enclosed-run.ts'",
    'async (trial) => await runEnclosed(trial)',
  )
})

/** What all probes print, by row: of a command, and of a program that it starts with loreley-candidate. */
async function probe({ level, host }: Column) {
  const place = aFolder()
  chmodSync(place, 0o755)
  const trusted = join(place, 'trusted')
  mkdirSync(trusted)
  await writePrograms(trusted)
  if (isRoot) for (const path of [place, trusted]) chownSync(path, host, host)
  const script = Object.entries(PROBES)
    .map(([row, line]) => `echo; echo '== ${row}'; { ${line}; } 2>/dev/null`)
    .join('\n')
  const line = `mkdir home temp; : > home/planted; : > /tmp/mark; export LORELEY_WORKSPACE=$PWD HOME=$PWD/home TMPDIR=$PWD/temp MARK=/tmp/mark
echo "$SCRIPT" > probe; sh probe; echo; echo '#### below'; LORELEY_ISOLATION=${level} "$TRUSTED/loreley-candidate" sh probe; rm -f /tmp/mark`
  const trial = { place, line, changes: { levels: [level] }, env: { SCRIPT: script } }
  const ran: Awaited<ReturnType<typeof runEnclosed>> = await runProgram(
    program,
    trial,
    isRoot ? { uid: host } : {},
  )
  const [above = '', below = ''] = ran.outcome.stdout.split('#### below')
  return { above: readRows(above), below: readRows(below), own: ran.own, stderr: ran.outcome.stderr }
}

function readRows(text: string): Record<string, string> {
  const parts = text.split(/^== /m).slice(1)
  return Object.fromEntries(
    parts.map((part) => {
      const [row = '', ...lines] = part.split('\n')
      return [row, lines.join('\n').trim()]
    }),
  )
}

/** The rows of the page, by name. */
function readPolicy(): Map<string, readonly string[]> {
  const page = readFileSync(new URL('../../../docs/reference/isolation.md', import.meta.url), 'utf8')
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
  return new Map(
    rows
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
      .map(([name = '', ...cells]) => [name, cells]),
  )
}

it('the policy has a probe or a test for every row, and no more', () => {
  expect([...readPolicy().keys()].sort()).toEqual(Object.keys(PROBES).sort())
})

describe.each(COLUMNS)('the policy for $name', (column) => {
  it('the policy is what a command and a program below it get', async () => {
    const policy = readPolicy()
    const { above, below, own, stderr } = await probe(column)
    const index = ['root', 'own user', 'user'].indexOf(column.name)
    const isSpace = column.level === 'namespace'
    expect(Object.keys(below).length, stderr).toBe(Object.keys(PROBES).length)
    for (const [row, name] of Object.entries(SPACES)) {
      const isOwn = policy.get(row)?.[index]?.startsWith('own') === true
      const ours = readlinkSync(`/proc/self/ns/${name}`)
      expect(above[row] === ours, `${row} of the machine`).toBe(!isOwn)
      expect(policy.get(row)?.[3], row).toMatch(/^own/)
      expect(below[row], `${row} below`).not.toBe(above[row])
    }
    expect(policy.get('keyrings')?.[index]).toBe('refused')
    expect([above.keyrings, below.keyrings]).toEqual(['38', '38'])
    expect(above.seccomp).toBe(isSpace ? '2 shm' : '2 none')
    expect(above['/proc']).toBe(isSpace ? 'own' : 'all')
    expect(below['/proc']).toBe('own')
    expect(above['/dev']).toContain('null')
    expect(below['/dev']).toBe('null\n0')
    expect(above['/tmp, /var/tmp, /dev/shm']).toBe('yes\nyes\nyes\nshared')
    expect(below['/tmp, /var/tmp, /dev/shm']).toBe('yes\nyes\nyes')
    if (isSpace) expect(above['/run, /dev/mqueue']).toBe('')
    expect(below['/run, /dev/mqueue']).toBe('')
    expect(above['HOME and TMPDIR']).toBe(`${own}/home ${own}/temp\nplanted`)
    expect(below['HOME and TMPDIR']).toBe(`${own}/home ${own}/temp`)
    expect(above['other files']).toBe('own')
    expect(below['other files']).toBe('')
    for (const rows of [above, below]) {
      expect(rows.capabilities).toBe('')
      expect(rows.no_new_privs).toBe('1')
    }
    expect(above.limits).toBe(`0\n4096\n${10 * 1024 ** 3}`)
    expect(below.limits).toBe(`0\n1024\n${10 * 1024 ** 3}`)
    // The fourth is the folder that is being listed.
    expect(above.descriptors).toBe('0 1 2 3 /dev/null')
    expect(below.descriptors).toMatch(/^0 1 2 3 /)
    expect(ELSEWHERE.every((row) => policy.has(row))).toBe(true)
  })
})
