import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitEnvironment, tryGit } from '../../../../../git/command.ts'

/** A work tree and how to call git in it. */
export interface WorkTree {
  readonly folder: string
  readonly environment: GitEnvironment
}

/** The token as git sends it. */
export function basicHeader(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64')
}

/**
 * Lets git in this work tree use the token. Written to the file, because other users can see the arguments of
 * `git config`.
 */
export async function addCredentials(
  { folder }: WorkTree,
  { server, header }: { readonly server: string; readonly header: string },
): Promise<void> {
  const text = `[http "${server}/"]\n\textraheader = AUTHORIZATION: basic ${header}\n`
  await appendFile(join(folder, '.git', 'config'), text)
}

/** Removes the token, if it is still there. */
export async function removeCredentials({ folder, environment }: WorkTree, server: string): Promise<void> {
  const args = ['config', '--local', '--unset-all', `http.${server}/.extraheader`]
  await tryGit({ args: ['-C', folder, ...args], environment })
}
