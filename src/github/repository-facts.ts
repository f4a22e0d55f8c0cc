import * as z from 'zod'
import { expectDone } from './api/api-client.ts'
import type { RepositoryApi } from './api/repository-api.ts'

/** What a campaign needs to know about its repository. */
export interface RepositoryFacts {
  readonly fullName: string
  readonly defaultBranch: string
  readonly private: boolean
  readonly archived: boolean
  readonly disabled: boolean
  readonly fork: boolean
}

const repository = z
  .object({
    full_name: z.string(),
    default_branch: z.string(),
    private: z.boolean(),
    archived: z.boolean(),
    disabled: z.boolean().nullish(),
    fork: z.boolean(),
  })
  .transform(
    ({ full_name, default_branch, disabled, ...facts }): RepositoryFacts => ({
      ...facts,
      fullName: full_name,
      defaultBranch: default_branch,
      disabled: disabled ?? false,
    }),
  )

const file = z.object({ content: z.string(), encoding: z.literal('base64') })
const commit = z.object({ tree: z.object({ sha: z.string() }), committer: z.object({ date: z.string() }) })

export async function readRepository(api: RepositoryApi): Promise<RepositoryFacts> {
  return await api.get({
    route: 'GET /repos/{owner}/{repo}',
    parameters: {},
    answer: repository,
    priority: 'state',
    polled: true,
  })
}

/** The text of a file at a commit or branch; undefined when there is none. */
export async function findFile(api: RepositoryApi, path: string, ref: string): Promise<string | undefined> {
  const outcome = await api.ask({
    route: 'GET /repos/{owner}/{repo}/contents/{path}',
    parameters: { path, ref },
    answer: file,
    priority: 'state',
    polled: true,
  })
  if (outcome.status === 'refused' && outcome.http === 404) return undefined
  return Buffer.from(expectDone(`the file ${path}`, outcome).content, 'base64').toString('utf8')
}

/** Tree and date of a commit. */
export async function readCommit(
  api: RepositoryApi,
  sha: string,
): Promise<{ readonly tree: string; readonly seconds: number }> {
  const { tree, committer } = await api.get({
    route: 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}',
    parameters: { commit_sha: sha },
    answer: commit,
    priority: 'state',
  })
  return { tree: tree.sha, seconds: Math.floor(Date.parse(committer.date) / 1000) }
}
