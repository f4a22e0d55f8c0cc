import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The folders of one job. No other job shares them, and they are removed with the job. */
export interface JobFolders {
  readonly root: string
  /** GITHUB_WORKSPACE, empty at first. */
  readonly workspace: string
  readonly home: string
  readonly temp: string
  readonly tools: string
  /** Downloaded actions. */
  readonly actions: string
  /** Files that steps use to talk to the runner. */
  readonly files: string
}

export async function createJobFolders(root: string, repository: string): Promise<JobFolders> {
  const folders = {
    root,
    // GitHub's layout. Some scripts expect the repository's name as the last segment.
    workspace: join(root, 'work', repository, repository),
    home: join(root, 'home'),
    temp: join(root, 'work', '_temp'),
    tools: join(root, 'work', '_tool'),
    actions: join(root, 'work', '_actions'),
    files: join(root, 'work', '_temp', '_runner_file_commands'),
  }
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true, mode: 0o700 })
  return folders
}

export async function removeJobFolders({ root }: JobFolders): Promise<void> {
  await rm(root, { recursive: true, force: true, maxRetries: 3 })
}
