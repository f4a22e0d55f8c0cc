import { listTree } from '../../git/listing.ts'
import { writeTarball } from '../../git/tarball.ts'
import type { Box, Download, Family, RepoCall } from '../box.ts'
import { downloadLink } from '../http/downloads.ts'
import { notFound } from '../http/errors.ts'
import { ok, type Reply, redirect } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { repositories } from '../state/documents.ts'

/** Archives of a commit, and its languages. */
export const archivesFamily: Family = {
  routes: [
    repoRoute('GET /repos/{owner}/{repo}/tarball/{ref}', { contents: 'read' }, (call) =>
      archiveLink(call, 'tar.gz'),
    ),
    repoRoute('GET /repos/{owner}/{repo}/zipball/{ref}', { contents: 'read' }, (call) =>
      archiveLink(call, 'zip'),
    ),
    repoRoute('GET /repos/{owner}/{repo}/languages', { metadata: 'read' }, countLanguages),
  ],
  downloads: { archive: findArchive },
}

async function archiveLink(call: RepoCall, format: string): Promise<Reply> {
  const commit = await call.git.findCommit(call.path.text('ref'))
  if (commit === undefined) throw notFound()
  return redirect(downloadLink(call.box, 'archive', `${call.repo.id} ${commit} ${format}`))
}

async function findArchive(box: Box, key: string): Promise<Download | undefined> {
  const [id = '', commit = '', ending = ''] = key.split(' ')
  const repo = repositories(box.store).find(id)
  if (repo === undefined) return undefined
  const { repository } = await box.git.get(repo.id)
  const format = ending === 'zip' ? 'zip' : 'tar.gz'
  const folder = `${repo.owner}-${repo.name}-${commit.slice(0, 7)}`
  return {
    type: format === 'zip' ? 'application/zip' : 'application/x-gzip',
    name: `${folder}.${format}`,
    bytes: await writeTarball(repository, commit, { format, folder }),
  }
}

// A few common extensions are enough here. GitHub's list has hundreds.
const LANGUAGES: Readonly<Record<string, string>> = {
  c: 'C',
  cpp: 'C++',
  css: 'CSS',
  go: 'Go',
  html: 'HTML',
  java: 'Java',
  js: 'JavaScript',
  mjs: 'JavaScript',
  py: 'Python',
  rb: 'Ruby',
  rs: 'Rust',
  sh: 'Shell',
  ts: 'TypeScript',
}

async function countLanguages(call: RepoCall): Promise<Reply> {
  const head = await call.git.findCommit(call.repo.defaultBranch)
  const files = head === undefined ? [] : await listTree(call.git.repository, head, true)
  const bytes = new Map<string, number>()
  for (const { path, size } of files) {
    const language = LANGUAGES[/\.(\w+)$/.exec(path)?.[1] ?? '']
    if (language !== undefined) bytes.set(language, (bytes.get(language) ?? 0) + (size ?? 0))
  }
  return ok(Object.fromEntries([...bytes].sort(([, a], [, b]) => b - a)))
}
