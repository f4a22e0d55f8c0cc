import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runGit, tryGit } from '../../../../../git/command.ts'
import type { Place } from './credentials.ts'

/** Makes the folder a repository with this remote: an earlier checkout of it is kept, anything else goes. */
export async function prepareFolder(
  { folder, environment }: Place,
  { url, clean }: { readonly url: string; readonly clean: boolean },
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const remote = await tryGit({
    args: ['config', '--file', join(folder, '.git', 'config'), 'remote.origin.url'],
    environment,
  })
  const git = (...args: string[]) => runGit({ args: ['-C', folder, ...args], environment })
  if (remote.stdout.toString('utf8').trim() === url) {
    if (!clean) return
    await git('clean', '-ffdx')
    await tryGit({ args: ['-C', folder, 'reset', '--hard', 'HEAD'], environment })
    return
  }
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
  await git('init', '--quiet')
  await git('remote', 'add', 'origin', url)
}
