import * as z from 'zod'
import { type InstalledRepository, parseInstalled } from './installed-repository.ts'
import { type AppRequester, createClient, tokenAnswer } from './repository-transport.ts'

const PAGE = 100

const installations = z.array(z.object({ id: z.number(), suspended_at: z.string().nullish() }))

/** All installations of the app, and whether each can be used. */
export async function listInstallations(
  app: AppRequester,
): Promise<readonly { readonly id: number; readonly isUsable: boolean }[]> {
  const found: z.infer<typeof installations> = []
  for (let page = 1; ; page++) {
    const { data } = await app.request('GET /app/installations', { per_page: PAGE, page })
    const more = installations.parse(data)
    found.push(...more)
    if (more.length < PAGE) break
  }
  return found.map(({ id, suspended_at }) => ({ id, isUsable: (suspended_at ?? null) === null }))
}

/** The repositories of an installation, read with a token that can do nothing else. */
export async function listRepositories(
  app: AppRequester,
  installation: number,
  baseUrl: string,
): Promise<readonly InstalledRepository[]> {
  const minted = await app.request('POST /app/installations/{installation_id}/access_tokens', {
    installation_id: installation,
    permissions: { metadata: 'read' },
  })
  const octokit = createClient(tokenAnswer.parse(minted.data).token, baseUrl)
  const { listReposAccessibleToInstallation } = octokit.rest.apps
  const listed = await octokit.paginate(listReposAccessibleToInstallation, { per_page: PAGE })
  return listed.map((repository) => parseInstalled(installation, repository))
}
