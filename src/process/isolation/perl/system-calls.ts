/** The numbers of system calls for which Perl has no function, by the names that Node has for machines. */
interface Machine {
  readonly calls: Readonly<Record<string, number>>
  readonly filtered: Readonly<Record<FilteredCall, number>>
  /** As the kernel names machines to a filter, and the 32-bit machine whose programs it runs too. */
  readonly audit: number
  readonly compatible: { readonly audit: number; readonly filtered: Readonly<Record<FilteredCall, number>> }
  /** Bits of a call's number that mark another way to call. */
  readonly otherWay?: number
}

/** Calls whose traces would outlive a run. */
type FilteredCall = 'add_key' | 'request_key' | 'keyctl' | 'shmget' | 'semget' | 'msgget' | 'mq_open'

const KEYRINGS = ['add_key', 'request_key', 'keyctl'] as const
const SHARED_MEMORY = ['shmget', 'semget', 'msgget', 'mq_open'] as const

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    calls: {
      ...{ mount: 165, unshare: 272, keyctl: 250, prctl: 157, capset: 126, prlimit64: 302, setsid: 112 },
      ...{ exit_group: 231, mount_setattr: 442, close_range: 436, pidfd_open: 434, seccomp: 317 },
      ...{ setgroups: 116, setresgid: 119, setresuid: 117 },
    },
    audit: 0xc000003e,
    filtered: {
      ...{ add_key: 248, request_key: 249, keyctl: 250 },
      ...{ shmget: 29, semget: 64, msgget: 68, mq_open: 240 },
    },
    compatible: {
      audit: 0x40000003,
      filtered: {
        ...{ add_key: 286, request_key: 287, keyctl: 288 },
        ...{ shmget: 395, semget: 393, msgget: 399, mq_open: 277 },
      },
    },
    otherWay: 0x40000000,
  },
  arm64: {
    calls: {
      ...{ mount: 40, unshare: 97, keyctl: 219, prctl: 167, capset: 91, prlimit64: 261, setsid: 157 },
      ...{ exit_group: 94, mount_setattr: 442, close_range: 436, pidfd_open: 434, seccomp: 277 },
      ...{ setgroups: 159, setresgid: 149, setresuid: 147 },
    },
    audit: 0xc00000b7,
    filtered: {
      ...{ add_key: 217, request_key: 218, keyctl: 219 },
      ...{ shmget: 194, semget: 190, msgget: 186, mq_open: 180 },
    },
    compatible: {
      audit: 0x40000028,
      filtered: {
        ...{ add_key: 309, request_key: 310, keyctl: 311 },
        ...{ shmget: 307, semget: 299, msgget: 303, mq_open: 274 },
      },
    },
  },
}

// The multiplexed call of 32-bit x86 for shared memory, semaphores and messages.
const I386_IPC = 117

const machine = process.platform === 'linux' ? MACHINES[process.arch] : undefined

/** Whether a Perl script can make its own system calls here. */
export const hasSystemCalls = machine !== undefined

/** The numbers as the inside of a Perl hash. */
export function renderSystemCalls(): string {
  return Object.entries(machine?.calls ?? {})
    .map(([name, number]) => `${name} => ${number}`)
    .join(', ')
}

/** What a filter forbids: keyrings, and where there is no IPC namespace also shared memory that nobody owns. */
export type Forbidden = 'keyrings' | 'keyrings-and-ipc'

const [LOAD, EQUALS, AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06]
const [ALLOW, NOT_IMPLEMENTED] = [0x7fff0000, 0x00050000 | 38]

/**
 * A classic BPF program for seccomp, in hexadecimal. The calls fail as on a kernel without them. Every other call is
 * allowed by its number alone, which the kernel remembers, so it costs nothing.
 */
export function renderFilter(forbidden: Forbidden): string {
  if (machine === undefined) return ''
  const names = forbidden === 'keyrings' ? KEYRINGS : [...KEYRINGS, ...SHARED_MEMORY]
  const numbers = names.map((name) => machine.filtered[name])
  const compatible = names.map((name) => machine.compatible.filtered[name])
  if (forbidden !== 'keyrings' && process.arch === 'x64') compatible.push(I386_IPC)
  const own = renderPart(numbers, machine.otherWay)
  return [
    [LOAD, 0, 0, 4],
    [EQUALS, 0, own.length, machine.audit],
    ...own,
    [EQUALS, 1, 0, machine.compatible.audit],
    [RETURN, 0, 0, NOT_IMPLEMENTED],
    ...renderPart(compatible, undefined),
  ]
    .map(([code = 0, yes = 0, no = 0, value = 0]) => renderInstruction(code, yes, no, value))
    .join('')
}

function renderPart(numbers: readonly number[], otherWay: number | undefined): number[][] {
  const tests = [
    ...(otherWay === undefined ? [] : [[AT_LEAST, otherWay]]),
    ...numbers.map((number) => [EQUALS, number]),
  ]
  return [
    [LOAD, 0, 0, 0],
    ...tests.map(([code = 0, value = 0], index) => [code, tests.length - index, 0, value]),
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, NOT_IMPLEMENTED],
  ]
}

function renderInstruction(code: number, yes: number, no: number, value: number): string {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(yes, 2)
  bytes.writeUInt8(no, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes.toString('hex')
}
