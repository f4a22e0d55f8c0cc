import type { GitEnvironment } from '../git/command.ts'
import { ObjectStore } from '../git/objects/object-store.ts'
import { RefWriter } from '../git/refs.ts'
import { openRepository } from '../git/repository.ts'
import type { LocalGit } from './local-refs.ts'
import { LocalStore } from './local-store.ts'

/** An open repository with its store; closed as one. */
export interface OpenGit extends LocalGit {
  readonly store: LocalStore
  close(): Promise<void>
}

/** Opens the repository that a folder belongs to. */
export async function openGit(folder: string, environment: GitEnvironment): Promise<OpenGit> {
  const repository = await openRepository(folder, environment)
  const objects = new ObjectStore(repository)
  const refs = new RefWriter(repository)
  const git = { repository, objects, refs }
  return {
    ...git,
    store: new LocalStore(git),
    close: async () => {
      await Promise.all([objects.close(), refs.close()])
    },
  }
}
