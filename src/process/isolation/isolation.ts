/** How candidate code is isolated: in its own namespaces, or as a separate user only. */
export type IsolatedLevel = 'namespace' | 'user'

/** A way to run commands in isolation that was tried and works here. */
export interface Isolation {
  readonly level: IsolatedLevel
  readonly network: 'none' | 'host'
  /** Whether candidate code runs as a separate user, or as ours, where only namespaces protect our files. */
  readonly user: 'other' | 'own'
  /** What commands lack here that they have elsewhere, for people. */
  readonly lacks?: string | undefined
  /** Whether a command can be given files that it shares with others, instead of a copy of them. */
  readonly sharesLayers: boolean
  /** The prefix for programs that handle the candidate's processes. */
  readonly rank: readonly string[]
  /** The prefix for programs that read its folders, even closed ones. */
  readonly searching: readonly string[]
  /** The command as it must be started, with its stdin. */
  enclose(command: EnclosedCommand): StartedCommand
  /** Signals the processes of a command, which may belong to another user. */
  signalGroup(leaderPid: number, signal: NodeJS.Signals): Promise<void>
  /** Gives a folder and its content to the candidate's user. */
  give(folder: string): Promise<void>
  /** Removes a folder that was given away. */
  remove(folder: string): Promise<void>
}

export interface EnclosedCommand {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly own: string
  readonly readOnly: readonly string[]
  readonly layer?: SharedLayer | undefined
}

/** Files that all candidates share, below those of one. The candidate sees both in one folder. */
export interface SharedLayer {
  /** Only read. */
  readonly lower: string
  /** The folder with the candidate's own files, which also takes what it writes. */
  readonly upper: string
  /** On the same disk, out of the candidate's sight, for the kernel's own use. */
  readonly work: string
}

/** A command wrapped so that it runs inside the isolation. */
export interface StartedCommand {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin?: string | undefined
  /** Its stdin stays open. When it closes, because this process was killed, the command ends. */
  readonly holdsStdin?: boolean | undefined
}

export interface IsolationRequest {
  /** The levels to try, in this order. */
  readonly levels: readonly IsolatedLevel[]
  readonly network: 'none' | 'host'
  readonly hidden: readonly string[]
  /** Visible although hidden, besides what the programs on the PATH need. */
  readonly readOnly: readonly string[]
  /** Without root: use passwordless sudo, or user namespaces as the current user. */
  readonly unprivileged: 'sudo' | 'own-user'
  /** One command at a time on this machine, so every new process of the candidate's user belongs to it. */
  readonly alone?: boolean | undefined
  /** Folders that a command inside must be able to enter. */
  readonly entered?: readonly string[] | undefined
  readonly trialFolder: string
  readonly path: string
}
