/** How candidate code is kept apart: another user in its own namespaces, or another user. */
export type IsolatedLevel = 'namespace' | 'user'

/** A way to run commands apart from us, that was tried and works here. */
export interface Isolation {
  readonly level: IsolatedLevel
  readonly network: 'none' | 'host'
  /** Whether candidate code runs as another user, or as ours: then only namespaces keep it from our files. */
  readonly user: 'other' | 'own'
  /** What commands have to do without here that they have elsewhere, in words for people. */
  readonly lacks?: string | undefined
  /** What a program of ours begins with that deals with the candidate's processes. */
  readonly rank: readonly string[]
  /** And one that looks into its folders, those too that it closed. */
  readonly searching: readonly string[]
  /** The command as it has to be started, and what it has to be told then. */
  enclose(command: EnclosedCommand): StartedCommand
  /** Signals the processes of a command, which are not ours to signal. */
  signalGroup(leaderPid: number, signal: NodeJS.Signals): Promise<void>
  /** Makes the candidate's user the owner of a folder and all in it. */
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
}

/** A command as it is started outside, so that it runs inside. */
export interface StartedCommand {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string | undefined
}

export interface IsolationRequest {
  /** What is tried, in this order. */
  readonly levels: readonly IsolatedLevel[]
  readonly network: 'none' | 'host'
  readonly hidden: readonly string[]
  /** Seen inside although hidden, besides what the programs on the PATH need. */
  readonly readOnly: readonly string[]
  /** Who is not root asks `sudo`, without a password; or makes the namespaces itself and stays who it is. */
  readonly unprivileged: 'sudo' | 'own-user'
  /** One command at a time, and no other host like us: whatever the candidate's user began since is this one's. */
  readonly alone?: boolean | undefined
  /** Folders that a command inside must be able to enter, or the level does not count as working. */
  readonly entered?: readonly string[] | undefined
  /** A folder for the trial. */
  readonly place: string
  readonly path: string
}
