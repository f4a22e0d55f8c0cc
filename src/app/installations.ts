import { Octokit } from '@octokit/core'
import * as z from 'zod'
import { parseNames, type RepositoryNames } from './envelope.ts'
import { type AppRequester, tokenAnswer } from './repository-transport.ts'

const PAGE = 100

const installations = z.array(z.object({ id: z.number(), suspended_at: z.string().nullish() }))
const repositoryList = z.object({ repositories: z.array(z.unknown()) })

/** All installations of the app, and whether each can be used. */
export async function listInstallations(
  app: AppRequester,
): Promise<readonly { readonly id: number; readonly isUsable: boolean }[]> {
  const found = await readPages(async (page) => {
    const { data } = await app.request('GET /app/installations', { per_page: PAGE, page })
    return installations.parse(data)
  })
  return found.map(({ id, suspended_at }) => ({ id, isUsable: (suspended_at ?? null) === null }))
}

/** The repositories of an installation, read with a token that can do nothing else. */
export async function listRepositories(
  app: AppRequester,
  installation: number,
  baseUrl: string,
): Promise<readonly RepositoryNames[]> {
  const minted = await app.request('POST /app/installations/{installation_id}/access_tokens', {
    installation_id: installation,
    permissions: { metadata: 'read' },
  })
  const octokit = new Octokit({ auth: tokenAnswer.parse(minted.data).token, baseUrl })
  const listed = await readPages(async (page) => {
    const { data } = await octokit.request('GET /installation/repositories', { per_page: PAGE, page })
    return repositoryList.parse(data).repositories
  })
  return listed.map((repository) => parseNames(installation, repository))
}

async function readPages<T>(read: (page: number) => Promise<readonly T[]>): Promise<readonly T[]> {
  const found: T[] = []
  for (let page = 1; ; page++) {
    const more = await read(page)
    found.push(...more)
    if (more.length < PAGE) return found
  }
}
