import { PERL_COMMON } from './common.ts'
import { renderSystemCalls } from './system-calls.ts'

/**
 * Sets up the isolation and becomes the command, in one process where a shell would start 25 programs. It reads what to
 * do from stdin, and keeps it open: when it closes, the host is gone, and the run ends.
 */
export function renderEnclosureScript(): string {
  return SCRIPT.replace('NUMBERS', renderSystemCalls()).replace('COMMON', () => PERL_COMMON)
}

/** Reads the script and what it is to do, each preceded by its length, and leaves the rest of stdin alone. */
export const READER = `sub take { my ($size) = @_; my $text = ""; while (length $text < $size) { sysread(STDIN, $text, $size - length $text, length $text) or exit 125 } return $text } my $script = take(take(10)); our $task = take(take(10)); eval $script; die $@ if $@;`

const SCRIPT = String.raw`use strict;
use warnings;
our $task;
my %call = (NUMBERS);
COMMON
sub fail { my $why = $_[0] . (told('user') eq 'own' ? why_refused() : ''); syswrite(STDERR, "loreley: $why\n"); leave(125) }

my %told;
for (my @fields = split /\0/, $task, -1; @fields > 1; ) { my ($key, $value) = splice @fields, 0, 2; push @{ $told{$key} }, $value }
sub told { return $told{ $_[0] }[0] // '' }
sub list { return @{ $told{ $_[0] } // [] } }

umask 022;
chdir '/';
# The host signals the whole group. The command may take its time to end; we wait for it.
$SIG{$_} = 'IGNORE' for qw(TERM INT HUP);
if (told('level') eq 'namespace') { lead() } else { guard() }

# Outside the namespaces.
sub lead {
  # Mount, cgroup, UTS, IPC and PID; user and network where asked for.
  my $namespaces = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x20000000;
  $namespaces |= 0x10000000 if told('user') eq 'own';
  $namespaces |= 0x40000000 if told('network') eq 'none';
  my ($uid, $gid) = ($>, $) + 0);
  try('unshare', call('unshare', $namespaces));
  map_ourselves($uid, $gid) if told('user') eq 'own';
  my $first = fork // fail("fork: $!");
  if ($first == 0) { set_up(); stay_first() }
  watch($first, sub { kill 9, $first });
  waitpid $first, 0;
  leave_with($?);
}

# The first process of the namespaces: when it ends, the kernel ends all others. Programs behave differently as PID 1,
# so it does not become the command.
sub stay_first {
  my $command = fork // fail("fork: $!");
  become() if $command == 0;
  let_go();
  while ((my $ended = wait) > 0) { leave_with($?) if $ended == $command }
  leave(125);
}

# It outlives the command, and must not keep its output open.
sub let_go { open(STDIN, '<', '/dev/null'); open(STDOUT, '>', '/dev/null'); open(STDERR, '>', '/dev/null') }

# Without namespaces: orphans of the command become children of ours, whatever session and environment they gave
# themselves, and end with it. Outside its group, so that what kills the group does not kill us.
sub guard {
  my $group = $$;
  my $guard = fork // fail("fork: $!");
  if ($guard > 0) { waitpid $guard, 0; leave_with($?) }
  setpgrp;
  try('subreaper', call('prctl', 36, 1, 0, 0, 0));
  my $command = fork // fail("fork: $!");
  if ($command == 0) { setpgrp(0, $group) || fail("setpgrp: $!"); become() }
  my $status;
  watch($command, sub { });
  while (1) {
    # Before it is reaped, or its number could be somebody else's.
    kill 9, $command, descendants();
    my $ended;
    while (($ended = waitpid(-1, 1)) > 0) { $status = $? if $ended == $command }
    last if $ended < 0;
    select(undef, undef, undef, 0.002);
  }
  leave_with($status);
}

sub descendants {
  my %children;
  for my $file (glob '/proc/[0-9]*/stat') {
    open(my $handle, '<', $file) or next;
    my ($pid, $parent) = (readline($handle) // '') =~ /^(\d+) .*\) \S+ (\d+)/s or next;
    push @{ $children{$parent} }, $pid;
  }
  my @found = my @next = @{ $children{$$} // [] };
  while (@next) { @next = map { @{ $children{$_} // [] } } @next; push @found, @next }
  return @found;
}

# Until a child has ended, or the host is gone.
sub watch {
  my ($pid, $end) = @_;
  my $child = call('pidfd_open', $pid, 0);
  try('pidfd_open', $child);
  vec(my $watched = '', $child, 1) = 1;
  vec($watched, 0, 1) = 1;
  while (1) {
    next if select(my $ready = $watched, undef, undef, undef) < 0;
    return if vec($ready, $child, 1);
    return $end->() unless sysread(STDIN, my $ignored, 64);
  }
}

sub set_up {
  # With the process outside.
  call('prctl', 1, 9, 0, 0, 0);
  my $own = told('own');
  try('private mounts', call('mount', 'none', '/', 'none', 16384 | 1 << 18, ''));
  lay_over() if told('lower');
  try("mount $own", call('mount', $own, $own, 'none', 4096 | 16384, ''));
  # World-writable files (GitHub's machines have whole toolchains of them) would outlive a run.
  set_mounts('/', 1, 0);
  set_mounts($own, 0, 1);
  try('mount /proc', call('mount', 'proc', '/proc', 'proc', 2 | 4 | 8, ''));
  my @held = map { hold($_) } list('shown');
  for (list('layer')) {
    my ($kind, $index, $path) = m{^(\w)(\d*)(/.*)$}s;
    if ($kind eq 's') { show($held[$index], $path) }
    elsif ($kind eq 'd') { mount_at('loreley', $path, 'tmpfs', 'mode=1777') }
    else { try("hide $path", call('mount', '/dev/null', $path, 'none', 4096, '')) }
  }
  bring_up_loopback() if told('network') eq 'none';
}

# The command's files over those that all candidates share. What it writes stays in its own folder.
sub lay_over {
  my ($lower, $upper, $work) = map { hold(told($_)) } qw(lower upper work);
  my $at = sub { '/proc/self/fd/' . fileno($_[0]) };
  # A new one each time: the kernel refuses one that was not unmounted cleanly. Nothing there needs to reach the disk.
  my $fresh;
  for (my $number = 0; !mkdir($fresh = told('work') . "/$number", 0700); $number++) { fail("$fresh: $!") if $! != 17 }
  my $inside = hold($fresh);
  my $options = 'lowerdir=' . $at->($lower) . ',upperdir=' . $at->($upper) . ',workdir=' . $at->($inside) . ',volatile';
  # Renamed folders need a mark that only root may set.
  $options .= told('user') eq 'own' ? ',userxattr' : ',redirect_dir=on';
  try('overlay', call('mount', 'loreley', told('upper'), 'overlay', 2 | 4, $options));
}

sub become {
  $SIG{$_} = 'DEFAULT' for qw(TERM INT HUP);
  limit_to(4, 0);
  limit_to(6, told('processes') + 0);
  limit_to(1, told('file_bytes') + 0);
  # Our session's keyring would be theirs. Where this is forbidden, so is every other use of keyrings.
  call('keyctl', 1, 0);
  my $id = told('uid') + 0;
  drop_privileges(told('user') eq 'own' ? undef : sub {
    try('setgroups', call('setgroups', 0, 0));
    try('setresgid', call('setresgid', $id, $id, $id));
    try('setresuid', call('setresuid', $id, $id, $id));
  });
  # 4: without slower branches on older kernels.
  my $filter = pack('H*', told('filter'));
  try('seccomp', call('seccomp', 1, 4, pack('S x6 P', length($filter) / 8, $filter)));
  open(STDIN, '<', '/dev/null') or fail("/dev/null: $!");
  call('close_range', 3, 0xffffffff, 0);
  %ENV = map { split /=/, $_, 2 } list('env');
  syswrite(STDOUT, told('greeting'));
  # Only now: a candidate that deleted its own folder must not look like a broken machine.
  chdir told('cwd') or do { print STDERR told('cwd') . ": $!\n"; leave(126) };
  my @argv = list('argument');
  { no warnings; exec { $argv[0] } @argv }
  print STDERR "$argv[0]: $!\n";
  leave($! == 2 ? 127 : 126);
}
`
