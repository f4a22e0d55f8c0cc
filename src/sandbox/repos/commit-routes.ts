import { renderDiff } from '../../git/diffs.ts'
import { findMergeBase, isAncestor, listCommits, mergeTrees } from '../../git/history.ts'
import { writeFullCommit } from '../../git/objects/commits.ts'
import type { Family, RepoCall } from '../box.ts'
import { signAsBox } from '../git/web-signature.ts'
import { isEmpty } from '../git-data/empty-repository.ts'
import { moveOrRefuse } from '../git-data/ref-routes.ts'
import { stampsOf } from '../git-data/stamps.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { content, created, cutPage, list, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { commitView, detailedCommitView, EMPTY_TREE, fileView } from './commit-view.ts'
import { repoApiUrl, repoHtmlUrl } from './repository-view.ts'

/** Commits with their files, comparisons and merges. */
export const commitsFamily: Family = {
  routes: [
    repoRoute('GET /repos/{owner}/{repo}/commits', { contents: 'read' }, listRepoCommits),
    repoRoute('GET /repos/{owner}/{repo}/commits/{ref}', { contents: 'read' }, getCommit),
    repoRoute('GET /repos/{owner}/{repo}/compare/{basehead}', { contents: 'read' }, compare),
    repoRoute('POST /repos/{owner}/{repo}/merges', { contents: 'write' }, merge),
  ],
}

// GitHub's limit of files in a comparison.
const MAX_FILES = 300

async function listRepoCommits(call: RepoCall): Promise<Reply> {
  if (await isEmpty(call.git)) throw new ApiError(409, 'Git Repository is empty.')
  const head = await call.git.findCommit(call.query.findText('sha') ?? call.repo.defaultBranch)
  if (head === undefined) throw notFound()
  const option = (name: 'path' | 'since' | 'until' | 'author') => {
    const value = call.query.findText(name)
    return value === undefined ? {} : { [name]: value }
  }
  const query = {
    revisions: [head],
    ...option('path'),
    ...option('since'),
    ...option('until'),
    ...option('author'),
  }
  const ids = await listCommits(call.git.repository, query)
  return await list(call, ids, (id) => commitView(call.box, call.repo, call.git, id))
}

async function getCommit(call: RepoCall): Promise<Reply> {
  const name = call.path.text('ref')
  const id = await call.git.findCommit(name)
  if (id === undefined) throw new ApiError(422, `No commit found for SHA: ${name}`)
  if (call.media === 'sha') return content('application/vnd.github.sha', id)
  if (call.media === 'diff' || call.media === 'patch') {
    const from = (await call.git.find(`${id}^`))?.id ?? EMPTY_TREE
    const text = await renderDiff(call.git.repository, { from, to: id }, call.media)
    return content(`application/vnd.github.${call.media}; charset=utf-8`, text)
  }
  return ok(await detailedCommitView(call.box, call.repo, call.git, id))
}

async function compare(call: RepoCall): Promise<Reply> {
  const [baseName = '', headName = ''] = call.path.text('basehead').split('...')
  const find = async (name: string) => await call.git.findCommit(name.slice(name.indexOf(':') + 1))
  const [base, head] = [await find(baseName), await find(headName)]
  if (base === undefined || head === undefined) throw notFound()
  const shared = await findMergeBase(call.git.repository, base, head)
  if (shared === undefined) throw new ApiError(404, `No common ancestor between ${baseName} and ${headName}.`)
  if (call.media === 'diff' || call.media === 'patch') {
    const text = await renderDiff(call.git.repository, { from: shared, to: head }, call.media)
    return content(`application/vnd.github.${call.media}; charset=utf-8`, text)
  }
  return await comparison(call, { base, head, shared })
}

interface Compared {
  readonly base: string
  readonly head: string
  readonly shared: string
}

async function comparison(call: RepoCall, { base, head, shared }: Compared): Promise<Reply> {
  const { box, repo, git } = call
  const ahead = (await listCommits(git.repository, { revisions: [head, `^${base}`] })).reverse()
  const behind = await listCommits(git.repository, { revisions: [base, `^${head}`] })
  const files = await git.diff(shared, head)
  const page = cutPage(call, ahead)
  const html = `${repoHtmlUrl(box, repo)}/compare`
  const view = async (id: string) => await commitView(box, repo, git, id)
  return {
    ...ok({
      url: `${repoApiUrl(box, repo)}/compare/${base}...${head}`,
      html_url: `${html}/${base}...${head}`,
      permalink_url: `${html}/${repo.owner}:${base.slice(0, 7)}...${repo.owner}:${head.slice(0, 7)}`,
      diff_url: `${html}/${base}...${head}.diff`,
      patch_url: `${html}/${base}...${head}.patch`,
      base_commit: await view(base),
      merge_base_commit: await view(shared),
      status: statusOf(ahead.length, behind.length),
      ahead_by: ahead.length,
      behind_by: behind.length,
      total_commits: ahead.length,
      commits: await Promise.all(page.items.map(view)),
      files: files.slice(0, MAX_FILES).map((file) => fileView(box, repo, head, file)),
    }),
    headers: page.headers,
  }
}

function statusOf(ahead: number, behind: number): string {
  if (ahead === 0 && behind === 0) return 'identical'
  if (behind === 0) return 'ahead'
  return ahead === 0 ? 'behind' : 'diverged'
}

async function merge(call: RepoCall): Promise<Reply> {
  const { git, body } = call
  const branch = body.text('base')
  const base = (await git.find(`refs/heads/${branch}^{commit}`))?.id
  if (base === undefined) throw new ApiError(404, 'Base does not exist')
  const head = await git.findCommit(body.text('head'))
  if (head === undefined) throw new ApiError(404, 'Head does not exist')
  if (await isAncestor(git.repository, head, base)) return noContent()
  const merged = await mergeTrees(git.repository, base, head)
  if (merged.status === 'conflict') throw new ApiError(409, 'Merge conflict')
  const message = body.findText('commit_message') ?? `Merge ${body.text('head')} into ${branch}`
  const draft = { tree: merged.tree, parents: [base, head], message, ...stampsOf(call) }
  const id = await writeFullCommit(git.objects, draft, signAsBox(call.box))
  await moveOrRefuse(call, [{ ref: `refs/heads/${branch}`, to: id, from: base, force: false }])
  return created(await detailedCommitView(call.box, call.repo, git, id))
}
