import { join } from 'node:path'
import { createCleanEnvironment } from '../../process/clean-environment.ts'
import type { Isolation } from '../../process/isolation/isolation.ts'
import type { Workspace } from '../workspace/workspace.ts'

export interface CommandEnvironmentOptions {
  readonly path: string
  readonly programs: string
  readonly trusted: string
  readonly workspace: Pick<Workspace, 'folder' | 'files' | 'home' | 'temp'>
  readonly passedEnvironment: Readonly<Record<string, string>>
  readonly isolation?: Isolation | undefined
  /** Paths of the repository that the command may read, but not what it starts with `loreley-candidate`. */
  readonly hidden?: readonly string[] | undefined
}

/** The environment of an evaluation command. `loreley-candidate` reads the variables too. */
export function createCommandEnvironment(options: CommandEnvironmentOptions): Record<string, string> {
  const { path, programs, trusted, workspace, isolation, hidden = [] } = options
  const covered = [workspace.files, trusted].flatMap((folder) => hidden.map((each) => join(folder, each)))
  return createCleanEnvironment({
    path: `${programs}:${path}`,
    home: workspace.home,
    temp: workspace.temp,
    extra: {
      ...options.passedEnvironment,
      LORELEY_TRUSTED: trusted,
      LORELEY_WORKSPACE: workspace.folder,
      LORELEY_ISOLATION: isolation?.level ?? 'none',
      ...(covered.length > 0 && {
        LORELEY_HIDDEN: covered.map((each) => encodeURIComponent(each)).join(' '),
      }),
    },
  })
}
