import { type Repository, runInRepository } from './repository.ts'

/** The files of a commit as a tarball or zip, under a folder of the given name. */
export async function writeTarball(
  repository: Repository,
  commit: string,
  { format, folder }: { readonly format: 'tar.gz' | 'zip'; readonly folder: string },
): Promise<Buffer> {
  return await runInRepository(repository, ['archive', `--format=${format}`, `--prefix=${folder}/`, commit])
}
