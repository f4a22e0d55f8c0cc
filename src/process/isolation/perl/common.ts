/**
 * What both Perl launchers need. They provide `fail`. Loading a module such as POSIX would take longer than everything
 * else they do.
 */
export const PERL_COMMON = String.raw`
# Without what Perl does at its end, which belongs to the first of our processes.
sub leave { call('exit_group', $_[0]) if exists $call{exit_group}; exit $_[0] }
# As a shell tells it.
sub leave_with { my ($status) = @_; leave($status & 127 ? 128 + ($status & 127) : $status >> 8) }
# Copies its arguments: a system call may write to them.
sub call { my ($name, @arguments) = @_; return syscall($call{$name}, @arguments) }
sub try { my ($what, $result) = @_; fail("$what: $!") if $result < 0 }

sub put {
  my ($file, $text) = @_;
  open(my $handle, '>', $file) or fail("$file: $!");
  syswrite($handle, $text) or fail("$file: $!");
  close $handle;
}

# A user namespace in which we stay who we are, with the right to mount.
sub map_ourselves {
  my ($uid, $gid) = @_;
  put('/proc/self/setgroups', 'deny');
  put('/proc/self/uid_map', "$uid $uid 1\n");
  put('/proc/self/gid_map', "$gid $gid 1\n");
}

# Ubuntu lets everybody make user namespaces, and then refuses every right in them.
sub why_refused {
  my $file = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';
  open(my $handle, '<', $file) or return '';
  return '' unless (readline($handle) // '') =~ /^1/;
  return ' (AppArmor restricts user namespaces on this machine: see "Ubuntu and user namespaces" in docs/how-to/harden-a-repository.md)';
}

sub mount_at {
  my ($source, $at, $type, $data) = @_;
  try("mount $at", call('mount', $source, $at, $type, 2 | 4, $data));
}

# Binds what a descriptor holds: folders above it may be covered by now. It keeps being read-only or not.
sub show {
  my ($held, $at) = @_;
  my $made = '';
  for my $name (grep { length } split m{/}, $at) { $made .= "/$name"; mkdir $made, 0755 }
  try("show $at", call('mount', '/proc/self/fd/' . fileno($held), $at, 'none', 4096 | 16384, ''));
}

# O_PATH: it need not be readable.
sub hold { my ($path) = @_; sysopen(my $held, $path, 0x200000) or fail("$path: $!"); return $held }

# For a path and all mounts below it: what to set, and what to clear.
sub set_mounts {
  my ($path, $set, $clear) = @_;
  try("read-only files at $path", call('mount_setattr', -100, $path, 0x8000, pack('Q4', $set, $clear, 1 << 18, 0), 32));
}

# The interface starts down: flags IFF_UP with SIOCSIFFLAGS.
sub bring_up_loopback {
  socket(my $socket, 2, 2, 0) or return;
  my $request = pack('a16 s x22', 'lo', 1);
  ioctl($socket, 0x8914, $request);
}

sub limit_to {
  my ($which, $most) = @_;
  # Refused where a stricter limit holds already.
  call('prlimit64', 0, $which, pack('QQ', $most, $most), 0);
}

sub drop_privileges {
  my ($become_user) = @_;
  for (my $capability = 0; call('prctl', 24, $capability, 0, 0, 0) == 0; $capability++) { }
  $become_user->() if $become_user;
  call('prctl', 47, 4, 0, 0, 0);
  try('no privileges', call('capset', pack('LL', 0x20080522, 0), pack('L6', (0) x 6)));
  try('no new privileges', call('prctl', 38, 1, 0, 0, 0));
}
`
