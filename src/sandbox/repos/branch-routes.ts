import { listRefs } from '../../git/repository.ts'
import type { Family, RepoCall } from '../box.ts'
import { ApiError } from '../http/errors.ts'
import { list, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { rulesetsFor } from '../rules/rulesets.ts'
import { commitView } from './commit-view.ts'
import { repoApiUrl, repoHtmlUrl } from './repository-view.ts'

/** Branches and tags. */
export const branchesFamily: Family = {
  routes: [
    repoRoute('GET /repos/{owner}/{repo}/branches', { contents: 'read' }, listBranches),
    repoRoute('GET /repos/{owner}/{repo}/branches/{branch}', { contents: 'read' }, getBranch),
    repoRoute('GET /repos/{owner}/{repo}/tags', { metadata: 'read' }, listTags),
  ],
}

const HEADS = 'refs/heads/'
const TAGS = 'refs/tags/'

async function listBranches(call: RepoCall): Promise<Reply> {
  const heads = [...(await listRefs(call.git.repository, HEADS))]
  const isProtected = (ref: string): boolean => rulesetsFor(call.box, call.repo, ref).length > 0
  const wanted = call.query.findFlag('protected')
  const shown = heads.filter(([ref]) => wanted === undefined || isProtected(ref) === wanted)
  return await list(call, shown, ([ref, id]) => ({
    name: ref.slice(HEADS.length),
    commit: commitLink(call, id),
    protected: isProtected(ref),
  }))
}

async function getBranch(call: RepoCall): Promise<Reply> {
  const name = call.path.text('branch')
  const id = (await call.git.find(`${HEADS}${name}^{commit}`))?.id
  if (id === undefined) throw new ApiError(404, 'Branch not found')
  const self = `${repoApiUrl(call.box, call.repo)}/branches/${encodeURIComponent(name)}`
  return ok({
    name,
    commit: await commitView(call.box, call.repo, call.git, id),
    _links: { self, html: `${repoHtmlUrl(call.box, call.repo)}/tree/${name}` },
    protected: rulesetsFor(call.box, call.repo, `${HEADS}${name}`).length > 0,
    protection: {
      enabled: false,
      required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] },
    },
    protection_url: `${self}/protection`,
  })
}

async function listTags(call: RepoCall): Promise<Reply> {
  const tags = [...(await listRefs(call.git.repository, TAGS))].reverse()
  const api = repoApiUrl(call.box, call.repo)
  return await list(call, tags, async ([ref, id]) => {
    const commit = (await call.git.find(`${id}^{commit}`))?.id ?? id
    const name = ref.slice(TAGS.length)
    return {
      name,
      commit: commitLink(call, commit),
      zipball_url: `${api}/zipball/${ref}`,
      tarball_url: `${api}/tarball/${ref}`,
      node_id: `REF_${Buffer.from(`${call.repo.id}:${ref}`).toString('base64url')}`,
    }
  })
}

function commitLink(call: RepoCall, id: string) {
  return { sha: id, url: `${repoApiUrl(call.box, call.repo)}/commits/${id}` }
}
