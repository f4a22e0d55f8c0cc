import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitEnvironment, tryGit } from '../../../../../git/command.ts'

/** A work tree and how to call git in it. */
export interface WorkTree {
  readonly folder: string
  readonly environment: GitEnvironment
}

/** The token in the form that git sends. */
export function basicHeader(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64')
}

/** Lets git in this work tree use the token. Written, not given to `git config`: arguments can be seen by others. */
export async function addCredentials(
  { folder }: WorkTree,
  { server, header }: { readonly server: string; readonly header: string },
): Promise<void> {
  const text = `[http "${server}/"]\n\textraheader = AUTHORIZATION: basic ${header}\n`
  await appendFile(join(folder, '.git', 'config'), text)
}

/** Takes the token out again; nothing happens when it is not there any more. */
export async function removeCredentials({ folder, environment }: WorkTree, server: string): Promise<void> {
  const args = ['config', '--local', '--unset-all', `http.${server}/.extraheader`]
  await tryGit({ args: ['-C', folder, ...args], environment })
}
