import type { Octokit } from '@octokit/rest'
import { REPO, type Received } from '../support.ts'

/** Commits a file to a branch and returns the commit's id. */
export async function commitTo(
  client: Octokit,
  branch: string,
  path: string,
  content: string,
): Promise<string> {
  const old = await client.rest.repos.getContent({ ...REPO, path, ref: branch }).then(
    ({ data }) => ('sha' in data ? { sha: data.sha } : {}),
    () => ({}),
  )
  const made = await client.rest.repos.createOrUpdateFileContents({
    ...REPO,
    path,
    branch,
    message: `change ${path} on ${branch}`,
    content: Buffer.from(content).toString('base64'),
    ...old,
  })
  return made.data.commit.sha ?? ''
}

export async function branchFromMain(client: Octokit, branch: string): Promise<void> {
  const { data } = await client.rest.git.getRef({ ...REPO, ref: 'heads/main' })
  await client.rest.git.createRef({ ...REPO, ref: `refs/heads/${branch}`, sha: data.object.sha })
}

/** Opens a pull request that changes one file. Returns its number and head. */
export async function openPull(
  client: Octokit,
  { branch = 'topic', path = 'src/a.txt', content = 'one\n2\nthree\n', draft = false } = {},
): Promise<{ pull_number: number; sha: string }> {
  await branchFromMain(client, branch)
  const sha = await commitTo(client, branch, path, content)
  const made = await client.rest.pulls.create({
    ...REPO,
    title: `Try ${branch}`,
    head: branch,
    base: 'main',
    draft,
  })
  return { pull_number: made.data.number, sha }
}

/** The text of a file on a branch. */
export async function readFile(client: Octokit, path: string, ref = 'main'): Promise<string> {
  const { data } = await client.rest.repos.getContent({ ...REPO, path, ref })
  return 'content' in data ? Buffer.from(data.content, 'base64').toString('utf8') : ''
}

/** `event.action` of all received webhooks of these events. */
export function actionsOf(received: readonly Received[], ...events: readonly string[]): string[] {
  return received
    .filter(({ event }) => events.includes(event))
    .map(({ event, payload }) => `${event}.${payload.action}`)
}
