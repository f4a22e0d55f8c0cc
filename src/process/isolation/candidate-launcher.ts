import { existsSync } from 'node:fs'
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PERL_COMMON } from './perl/common.ts'
import { renderSystemCalls } from './perl/system-calls.ts'

const PERL = '/usr/bin/perl'

/**
 * Writes the programs that evaluation commands find on their PATH. An evaluator starts candidate code with
 * `loreley-candidate`, so that the code cannot reach the evaluator.
 */
export async function writePrograms(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'loreley-candidate')
  const draft = `${file}.${process.pid}`
  const withPerl = WITH_PERL.replace('NUMBERS', renderSystemCalls()).replace('COMMON', () => PERL_COMMON)
  await writeFile(draft, existsSync(PERL) ? withPerl : WITHOUT_PERL)
  await chmod(draft, 0o755)
  // Another process may be running the old one.
  await rename(draft, file)
}

// Perl makes every system call in one process, which takes a third of the time that a chain of small programs would. Debian and
// Ubuntu always have it, and so do GitHub's machines.
const WITH_PERL = String.raw`#!/usr/bin/perl
# Runs a program in a world of its own: see docs/how-to/write-an-evaluator.md.
use strict;
use warnings;

my $NAME = 'loreley-candidate';
# System calls for which Perl has no function of its own.
my %call = (NUMBERS);
COMMON
# Mount, cgroup, UTS, IPC, user, PID and network.
my $NAMESPACES = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000;

my %limit = (timeout => 0, memory => 0, processes => 1024, output => 16 * 1024 * 1024);
my $state_write;
while (@ARGV && $ARGV[0] =~ /^--(\w[^=]*)(?:=(.*))?$/) {
  my ($key, $value) = ($1, $2);
  fail("--$key is unknown; it takes --timeout, --memory, --processes and --output") unless exists $limit{$key};
  shift @ARGV;
  $value = shift @ARGV unless defined $value;
  fail("--$key takes a whole number") unless defined $value && $value =~ /^\d+$/;
  $limit{$key} = $value;
}
shift @ARGV if @ARGV && $ARGV[0] eq '--';
fail('no program was given') unless @ARGV;
my $work = $ENV{LORELEY_WORKSPACE};
fail('LORELEY_WORKSPACE is not set: start it from an evaluation command, with its environment') unless defined $work;

# While the world is set up, the first process learns the reason and decides what follows.
sub fail {
  my ($why) = @_;
  my $kind = is_absent($! + 0) ? 'absent' : 'broken';
  if (defined $state_write) { syswrite($state_write, "$kind $why") } else { print STDERR "$NAME: $why\n" }
  leave(125);
}
# Not allowed, not permitted, not known, not there, or a quota of zero.
sub is_absent {
  my ($error) = @_;
  return 1 if grep { $error == $_ } 1, 13, 22, 38;
  return 0 unless $error == 28 && open(my $quota, '<', '/proc/sys/user/max_user_namespaces');
  return (readline($quota) // '') =~ /^0$/;
}

pipe(my $out_read, my $out_write) or fail("pipe: $!");
pipe(my $err_read, my $err_write) or fail("pipe: $!");
pipe(my $state_read, my $state_pipe) or fail("pipe: $!");
my ($uid, $gid) = ($>, $) + 0);
my $cwd = readlink('/proc/self/cwd') // $ENV{PWD};
my $is_apart = 1;
feed_stdin() if -f STDIN;
my $init = fork // fail("fork: $!");
enter() if $init == 0;
close $state_pipe;
my $state = readline($state_read) // 'broken its set-up ended early';
if ($state ne 'ready') {
  waitpid $init, 0;
  tell_lack(split / /, $state, 2);
  $is_apart = 0;
  $init = fork // fail("fork: $!");
  if ($init == 0) { setpgrp; call('prctl', 1, 9, 0, 0, 0) if exists $call{prctl}; become(make_folders()) }
}
close $_ for $out_write, $err_write;
pump();

# A file would stay writable through its descriptor.
sub feed_stdin {
  pipe(my $read, my $write) or fail("pipe: $!");
  my $feeder = fork // fail("fork: $!");
  if ($feeder == 0) {
    close $read;
    $SIG{PIPE} = sub { leave(0) };
    while (sysread(STDIN, my $chunk, 65536)) { syswrite($write, $chunk) // last }
    leave(0);
  }
  open(STDIN, '<&', $read) or fail("stdin: $!");
}

# Between the evaluator's world and the new one: waits for the first process there.
sub enter {
  $state_write = $state_pipe;
  close $state_read;
  $! = 38;
  fail('this system has none') unless exists $call{unshare};
  call('prctl', 1, 9, 0, 0, 0);
  try('unshare', call('unshare', $NAMESPACES));
  map_ourselves($uid, $gid);
  my $first = fork // fail("fork: $!");
  world() if $first == 0;
  close $_ for $out_write, $err_write, $out_read, $err_read, $state_pipe;
  waitpid $first, 0;
  leave_with($?);
}

# Without namespaces it says so and runs the program all the same, unless the evaluation promised them. A set-up that
# failed for another reason, such as too many namespaces at once, is no permission to run it.
sub tell_lack {
  my ($kind, $why) = @_;
  $why .= why_refused();
  fail("it cannot get namespaces of its own: $why") if $kind eq 'broken' || ($ENV{LORELEY_ISOLATION} // '') eq 'namespace';
  print STDERR "$NAME: no namespaces here ($why): the program shares user, processes, network and files with the evaluator\n";
}

sub make_folders {
  my $folder = "$work/temp/candidate-$$";
  mkdir $_, 0700 or fail("$_: $!") for $folder, "$folder/home", "$folder/temp";
  return ("$folder/home", "$folder/temp");
}

# The first process of the new world: when it ends, the kernel ends all others.
sub world {
  call('prctl', 1, 9, 0, 0, 0);
  call('setsid');
  # Where this is forbidden, so is every other use of keyrings.
  call('keyctl', 1, 0);
  set_mounts('/', 1, 0);
  try('mount /proc', call('mount', 'proc', '/proc', 'proc', 1 | 2 | 4, ''));
  my %device = map { $_ => hold($_) } grep { -c } map { "/dev/$_" } qw(null zero full random urandom tty kfd), map { m{([^/]+)$} } glob '/dev/nvidia*';
  my $graphics = -d '/dev/dri' ? hold('/dev/dri') : undef;
  cover(grep { -d && !-l } '/tmp', '/var/tmp', '/dev', '/run');
  fill_dev(\%device);
  show($graphics, '/dev/dri') if $graphics;
  mount_at('loreley', $_, 'tmpfs', 'mode=700,size=1g') for "$work/home", "$work/temp";
  my $shown = $ENV{LORELEY_SHOWN};
  try("show $shown", call('mount', $shown, "$work/files", 'none', 4096 | 16384, '')) if defined $shown;
  for my $path (split / /, $ENV{LORELEY_HIDDEN} // '') { $path =~ s/%(..)/chr hex $1/ge; hide($path) }
  # By its path: the folder that we are in may lie below one that is covered now.
  chdir $cwd or fail("$cwd: $!");
  bring_up_loopback();
  syswrite($state_write, 'ready');
  undef $state_write;
  close $state_pipe;
  my $program = fork // fail("fork: $!");
  if ($program == 0) { become("$work/home", "$work/temp") }
  # It outlives the program, and must hold nothing of the evaluator's.
  close $_ for $out_write, $err_write, $out_read, $err_read;
  open(STDIN, '<', '/dev/null');
  open(STDOUT, '>', '/dev/null');
  my $status = 0;
  while ((my $ended = wait) > 0) { if ($ended == $program) { $status = $?; last } }
  leave_with($status);
}

# What programs count on, and what computes. Root's other devices, above all its disks, stay outside.
sub fill_dev {
  my ($device) = @_;
  for my $at (sort keys %$device) {
    open(my $made, '>', $at) or fail("$at: $!");
    try("device $at", call('mount', '/proc/self/fd/' . fileno($device->{$at}), $at, 'none', 4096, ''));
  }
  my %link = (fd => '/proc/self/fd', stdin => 'fd/0', stdout => 'fd/1', stderr => 'fd/2', ptmx => 'pts/ptmx');
  symlink $link{$_}, "/dev/$_" for keys %link;
  mkdir "/dev/$_" for qw(shm pts);
  chmod 01777, '/dev/shm';
  chmod 0755, '/dev';
  # Programs that open terminals are rare.
  call('mount', 'devpts', '/dev/pts', 'devpts', 2 | 8, 'newinstance,ptmxmode=0666,mode=0600');
}

# Empties folders, except for what lies below them and is needed.
sub cover {
  my @folders = @_;
  my $is_below = sub { my ($path, @above) = @_; grep { index($path, "$_/") == 0 } @above };
  open(my $list, '<', '/proc/self/mountinfo') or fail("mountinfo: $!");
  my @mounts = map { my $at = (split)[4]; $at =~ s/\\(\d{3})/chr oct $1/ge; $at } <$list>;
  my @tools = map { "$_/" } split /:/, $ENV{PATH} // '';
  my @shown = grep { my $mount = $_; grep { index($_, "$mount/") == 0 } @tools } @mounts;
  my ($programs) = $0 =~ m{^(/.+)/};
  my %needed = map { $_ => 1 } grep { defined && -d && $is_below->($_, @folders) } @shown, $work, $cwd, $ENV{LORELEY_TRUSTED}, $programs;
  my @needed = grep { !$is_below->($_, keys %needed) } sort keys %needed;
  my %held;
  $held{$_} = hold($_) for @needed;
  mount_at('loreley', $_, 'tmpfs', 'mode=755,size=1g') for @folders;
  for my $path (@needed) { show($held{$path}, $path); close $held{$path} }
  # Only the owner may write there, as in /tmp elsewhere.
  chmod 01777, @folders;
}

sub hide {
  my ($path) = @_;
  if (-d $path) { mount_at('loreley', $path, 'tmpfs', 'mode=700,size=1g') }
  elsif (-e $path) { try("hide $path", call('mount', '/dev/null', $path, 'none', 4096, '')) }
}

# Drops every privilege and becomes the program.
sub become {
  my ($home, $temp) = @_;
  open(STDOUT, '>&', $out_write) && open(STDERR, '>&', $err_write) or fail("stdout: $!");
  if (exists $call{prctl}) {
    drop_privileges();
    limit_to(4, 0);
    limit_to(6, $limit{processes}) if $is_apart;
    limit_to(2, $limit{memory}) if $limit{memory};
    call('close_range', 3, 0xffffffff, 0);
  }
  @ENV{qw(HOME TMPDIR)} = ($home, $temp);
  # Where no namespace ends what it leaves behind, our marks find it.
  delete @ENV{ grep { /^LORELEY_/ && ($is_apart || !/^LORELEY_(?:GROUP|OWNER)$/) } keys %ENV };
  { no warnings; exec { $ARGV[0] } @ARGV }
  print STDERR "$NAME: $ARGV[0]: $!\n";
  leave($! == 2 ? 127 : 126);
}

# Passes its output on, up to the limit, until the program has ended.
sub pump {
  my $stop = sub { my ($code, $why) = @_; kill 9, $is_apart ? $init : -$init; print STDERR "$NAME: $why\n" if $why; leave($code) };
  $SIG{$_} = sub { $stop->(143) } for qw(TERM INT HUP);
  $SIG{ALRM} = sub { $stop->(124, "the program ran into its time limit of $limit{timeout} s") };
  alarm $limit{timeout} if $limit{timeout};
  my %target = (fileno($out_read) => [$out_read, \*STDOUT, 0], fileno($err_read) => [$err_read, \*STDERR, 0]);
  while (%target) {
    my $wanted = '';
    vec($wanted, $_, 1) = 1 for keys %target;
    next if select(my $ready = $wanted, undef, undef, undef) < 0;
    for my $number (keys %target) {
      next unless vec($ready, $number, 1);
      my ($from, $to) = @{ $target{$number} };
      my $read = sysread($from, my $chunk, 65536);
      next if !defined $read && $! == 4;
      if (!$read) { delete $target{$number}; next }
      $target{$number}[2] += $read;
      $stop->(123, "the program wrote more than $limit{output} bytes") if $target{$number}[2] > $limit{output};
      for (my $sent = 0; $sent < $read; ) {
        my $now = syswrite($to, $chunk, $read - $sent, $sent);
        if (defined $now) { $sent += $now; next }
        # Full, or interrupted. Everything else means that nobody reads any more.
        $stop->(141) unless $! == 11 || $! == 4;
        vec(my $full = '', fileno($to), 1) = 1;
        select(undef, $full, undef, undef) if $! == 11;
      }
    }
  }
  waitpid $init, 0;
  my $status = $?;
  kill 9, -$init unless $is_apart;
  leave_with($status);
}
`

// util-linux alone: no limits but time, and the files stay writable.
const WITHOUT_PERL = `#!/bin/sh
# Runs a program in a world of its own: see docs/how-to/write-an-evaluator.md.
echo 'loreley-candidate: without perl the files stay writable and held-out files visible, and memory, processes and output have no limits' >&2
seconds=
while :; do
  case "$1" in
    --timeout | --memory | --processes | --output)
      [ $# -ge 2 ] || { echo "loreley-candidate: $1 takes a whole number" >&2; exit 125; }
      [ "$1" != --timeout ] || seconds=$2
      shift 2 ;;
    --timeout=*) seconds=$(echo "$1" | cut -d= -f2); shift ;;
    --memory=* | --processes=* | --output=*) shift ;;
    --) shift; break ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || { echo 'loreley-candidate: no program was given' >&2; exit 125; }
work=$LORELEY_WORKSPACE
[ -n "$work" ] || { echo 'loreley-candidate: LORELEY_WORKSPACE is not set: start it from an evaluation command, with its environment' >&2; exit 125; }
[ -z "$seconds" ] || set -- timeout -k 1 "$seconds" "$@"
apart='unshare --user --map-current-user --keep-caps --fork --kill-child --pid --mount-proc --ipc --net --'
if $apart true 2>/dev/null; then
  exec $apart /bin/sh -c '
    work=$1; shift
    for folder in "$work/home" "$work/temp" /tmp /var/tmp /dev/shm /run; do
      case $work/ in "$folder"/*) continue ;; esac
      [ ! -d "$folder" ] || mount -n -t tmpfs -o mode=700 loreley "$folder" || exit 125
    done
    [ -z "$LORELEY_SHOWN" ] || { mount --bind "$LORELEY_SHOWN" "$work/files" && cd "$PWD"; } || exit 125
    unset LORELEY_WORKSPACE LORELEY_TRUSTED LORELEY_HIDDEN LORELEY_SHOWN LORELEY_ISOLATION
    HOME=$work/home TMPDIR=$work/temp exec setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all --no-new-privs "$@"
  ' loreley-candidate "$work" "$@"
fi
[ "$LORELEY_ISOLATION" != namespace ] || { echo 'loreley-candidate: it cannot get namespaces of its own' >&2; exit 125; }
echo 'loreley-candidate: no namespaces here: the program shares user, processes, network and files with the evaluator' >&2
exec "$@"
`
