import type { Family, RepoCall } from '../box.ts'
import { nodeId } from '../format.ts'
import { decodeBase64, encodeBase64 } from '../http/base64.ts'
import { notFound } from '../http/errors.ts'
import { content, created, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { repoApiUrl } from '../repos/repository-view.ts'
import { assertNotEmpty } from './empty-repository.ts'

/** Git Data: blobs. */
export const blobsFamily: Family = {
  routes: [
    repoRoute('POST /repos/{owner}/{repo}/git/blobs', { contents: 'write' }, createBlob),
    repoRoute('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', { contents: 'read' }, getBlob),
  ],
}

async function createBlob(call: RepoCall): Promise<Reply> {
  await assertNotEmpty(call.git)
  const encoding = call.body.findText('encoding') ?? 'utf-8'
  const text = call.body.text('content')
  const id = await call.git.objects.write('blob', encoding === 'base64' ? decodeBase64(text) : text)
  return created({ sha: id, url: `${repoApiUrl(call.box, call.repo)}/git/blobs/${id}` })
}

async function getBlob(call: RepoCall): Promise<Reply> {
  const id = call.path.text('file_sha')
  const found = /^[0-9a-f]{40}$/.test(id) ? await call.git.objects.find(id) : undefined
  if (found === undefined || found.type !== 'blob') throw notFound()
  if (call.media === 'raw') return content('application/vnd.github.raw', found.content)
  return ok({
    sha: id,
    node_id: nodeId('B', `${call.repo.id}:${id}`),
    size: found.content.length,
    url: `${repoApiUrl(call.box, call.repo)}/git/blobs/${id}`,
    content: encodeBase64(found.content),
    encoding: 'base64',
  })
}
