import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createCommandEnvironment } from '../../../src/pipeline/measuring/command-environment.ts'
import { writePrograms } from '../../../src/process/isolation/candidate-launcher.ts'
import { findIsolation } from '../../../src/process/isolation/find-isolation.ts'
import { runGroup } from '../../../src/process/run-group.ts'
import { aRequest } from '../../process/enclosed-run.ts'

/** A candidate that sits beside its judge, and what it gets by it. */
export interface BesideJudge {
  readonly name: string
  /** A Perl script, which the judge starts twice. */
  readonly candidate: string
  /** What the run shows if the attack wins. */
  readonly wins: RegExp
}

/**
 * Follows our advice: starts the candidate as a child and judges its answer. The secret is in its memory, and it listens
 * on two sockets. In the end it prints what the candidate said, and what it left behind: any success of the candidate's is a perfect score.
 */
export const JUDGE = `import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
const file = ['candidate.pl', 'src/candidate.pl'].find((path) => existsSync(path))
const [program = 'perl', ...args] = [...process.argv.slice(2), 'perl', file]
globalThis.secret = ['SECRET', 6 * 7, 'in memory'].join('-')
const sockets = ['\\0judge', process.env.TMPDIR + '/judge.sock']
const servers = sockets.map((path) => createServer((socket) => socket.end('hello from the judge')).listen(path))
await Promise.all(servers.map((server) => once(server, 'listening')))
const said = []
for (const turn of [1, 2]) {
  const child = spawn(program, [...args, String(turn), String(process.pid)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (chunk) => { text += chunk })
  const [code, signal] = await once(child, 'close')
  said.push(text.slice(0, 2000), \`ended with \${code ?? signal}\`)
}
said.push(spawnSync('python3', ['-c', ''], { encoding: 'utf8' }).stdout)
const daemons = spawnSync('grep', ['-l', '-s', '-a', 'a-daemon', ...readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => \`/proc/\${pid}/cmdline\`)], { encoding: 'utf8' })
const left = ['HOME', 'TMPDIR'].flatMap((name) => readdirSync(process.env[name]).filter((each) => each !== 'judge.sock'))
for (const server of servers) server.close()
const report = JSON.stringify({ said, left, daemons: daemons.stdout.split('\\n').filter((line) => line && !line.includes('self')).length > 0, source: readFileSync(file, 'utf8').length })
const score = /took it|found SECRET|inspector open|planted code ran|seen before|hello from the judge|"daemons":true/.test(report) ? 1 : 0.5
writeFileSync('metrics.json', JSON.stringify({ score }))
console.log(report)
console.log('METRIC score=' + score)
process.exit(0)
`

const HEAD = `use strict; my ($turn, $judge) = @ARGV; $| = 1;
my $parent = getppid();
# In namespaces of its own it may have the judge's number there.
die "that is me\n" if $judge == $$;
`

export const BESIDE_THE_JUDGE: readonly BesideJudge[] = [
  {
    name: "takes the judge's stdout with pidfd_getfd",
    candidate: `${HEAD}my $pidfd = syscall(434, $judge + 0, 0); die "no pidfd: $!" if $pidfd < 0;
my $fd = syscall(438, $pidfd, 1, 0); die "no fd: $!" if $fd < 0;
open(my $out, '>&=', $fd) or die; syswrite($out, "METRIC score=1000\\n"); print "took it\\n";`,
    wins: /METRIC score=1000/,
  },
  {
    name: "reads the answer from the judge's memory",
    candidate: `${HEAD}open(my $maps, '<', "/proc/$judge/maps") or die "no maps: $!";
open(my $memory, '<:raw', "/proc/$judge/mem") or die "no memory: $!";
while (<$maps>) {
  my ($from, $to) = /^([0-9a-f]+)-([0-9a-f]+) rw/ or next;
  my ($start, $size) = (hex $from, hex($to) - hex($from));
  next if $size > 64 * 1024 * 1024;
  sysseek($memory, $start, 0) or next;
  sysread($memory, my $bytes, $size) or next;
  if ($bytes =~ /(SECRET-42-in memory)/) { print "found $1\\n"; exit }
}`,
    wins: /found SECRET-42-in memory/,
  },
  {
    name: "opens the judge's inspector with SIGUSR1",
    candidate: `${HEAD}kill('USR1', $judge); use Socket;
for (1 .. 20) { select(undef, undef, undef, 0.1); socket(my $s, PF_INET, SOCK_STREAM, 0); if (connect($s, sockaddr_in(9229, inet_aton('127.0.0.1')))) { print "inspector open\\n"; exit } }`,
    wins: /inspector open/,
  },
  {
    name: 'stops the judge',
    candidate: `${HEAD}kill('KILL', $judge) and sleep 1;`,
    wins: /^(?![\s\S]*METRIC score=0)/,
  },
  {
    name: 'plants a module in HOME for a later Python',
    candidate: `${HEAD}my $folder = qx(python3 -m site --user-site); chomp $folder; system('mkdir', '-p', $folder);
open(my $file, '>', "$folder/usercustomize.py") or die "no: $!"; print $file "print('planted code ran')"; close $file;`,
    wins: /planted code ran/,
  },
  {
    name: 'keeps state in TMPDIR between two starts',
    candidate: `${HEAD}print -e "$ENV{TMPDIR}/state" ? "seen before\\n" : "first\\n"; open(my $file, '>', "$ENV{TMPDIR}/state"); close $file;`,
    wins: /seen before/,
  },
  {
    name: 'keeps state in /dev/shm or /tmp between two starts',
    candidate: `${HEAD}for my $folder ('/dev/shm', '/tmp', '/var/tmp') { print "seen before\\n" if -e "$folder/state"; if (open(my $file, '>', "$folder/state")) { close $file } }`,
    wins: /seen before/,
  },
  {
    name: 'rewrites its own files for the next start',
    candidate: `${HEAD}print "seen before\\n" if -e 'marker'; open(my $file, '>', 'marker') or die "read-only: $!"; close $file;`,
    wins: /seen before/,
  },
  {
    name: "speaks to the judge's abstract socket",
    candidate: `${HEAD}use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, pack('S a*', AF_UNIX, "\\0judge")) or connect($s, pack('S a108', AF_UNIX, "\\0judge")) or die "no: $!"; print scalar <$s>;`,
    wins: /hello from the judge/,
  },
  {
    name: "speaks to the judge's socket in TMPDIR",
    candidate: `${HEAD}use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, pack_sockaddr_un("$ENV{TMPDIR}/judge.sock")) or die "no: $!"; print scalar <$s>;`,
    wins: /hello from the judge/,
  },
  {
    name: 'leaves a daemon in a session of its own',
    candidate: `${HEAD}use POSIX (); if (fork == 0) { POSIX::setsid(); if (fork == 0) { open(STDOUT, '>', '/dev/null'); open(STDERR, '>', '/dev/null'); exec 'sh', '-c', 'sleep 20; : a-daemon' } POSIX::_exit(0) } wait; select(undef, undef, undef, 0.3);`,
    wins: /"daemons":true/,
  },
  {
    name: 'keeps state in System V shared memory',
    candidate: `${HEAD}my $id = shmget(4242, 64, 0); print "seen before\\n" if defined $id; shmget(4242, 64, 0600 | 01000);`,
    wins: /seen before/,
  },
  {
    name: 'reads held-out inputs from the trusted checkout',
    candidate: `${HEAD}my ($folder) = grep { -d } "$ENV{PWD}/../../trusted", '../../trusted'; open(my $file, '<', "$folder/held-out.txt") or die "no: $!"; print scalar <$file>;`,
    wins: /the held-out answer/,
  },
]

/** A candidate, and how its judge starts it. */
export interface JudgeTrial {
  readonly place: string
  /** A Perl script. */
  readonly candidate: string
  readonly judge: string
  /** What the judge puts before the candidate's own command line. */
  readonly start: readonly string[]
}

/** Runs a judge in the enclosure, as the pipeline does, with a candidate as its child. */
export async function runBesideJudge({ place, candidate, judge, start }: JudgeTrial) {
  const node = dirname(process.execPath)
  const path = `${node}:${process.env.PATH ?? ''}`
  const search = await findIsolation(aRequest(place, { path }))
  if (search.status === 'unavailable') throw new Error(search.detail)
  const { isolation } = search
  const [own, trusted, programs] = ['own', 'trusted', 'programs'].map((name) => join(place, name))
  if (own === undefined || trusted === undefined || programs === undefined) throw new Error('no folders')
  const workspace = {
    folder: own,
    files: join(own, 'files'),
    home: join(own, 'home'),
    temp: join(own, 'temp'),
  }
  for (const folder of [...Object.values(workspace), trusted]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(workspace.files, 'candidate.pl'), candidate)
  writeFileSync(join(trusted, 'judge.mjs'), judge)
  writeFileSync(join(trusted, 'held-out.txt'), 'the held-out answer')
  await writePrograms(programs)
  await isolation.give(own)
  const outcome = await runGroup({
    argv: ['node', join(trusted, 'judge.mjs'), ...start],
    cwd: workspace.files,
    env: createCommandEnvironment({
      path,
      programs,
      trusted,
      workspace,
      isolation,
      passedEnvironment: {},
      hidden: ['held-out.txt'],
    }),
    timeoutMs: 30_000,
    maxOutputBytes: 20_000,
    enclosure: { isolation, own, readOnly: [trusted, programs] },
  })
  await isolation.remove(own)
  return { status: outcome.status, stdout: outcome.stdout, stderr: outcome.stderr }
}
