import { readTag, type Tag, writeTag } from '../../git/objects/tags.ts'
import { senderOf } from '../access/sender.ts'
import type { Family, RepoCall } from '../box.ts'
import { nodeId } from '../format.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { created, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { stampView, UNSIGNED } from '../repos/commit-view.ts'
import { repoApiUrl } from '../repos/repository-view.ts'
import { readStamp, stampOf } from './stamps.ts'

/** Git Data: annotated tags, without their refs. */
export const gitTagsFamily: Family = {
  routes: [
    repoRoute('POST /repos/{owner}/{repo}/git/tags', { contents: 'write' }, createTag),
    repoRoute('GET /repos/{owner}/{repo}/git/tags/{tag_sha}', { contents: 'read' }, getTag),
  ],
}

async function createTag(call: RepoCall): Promise<Reply> {
  const { body } = call
  const object = body.text('object')
  const type = body.text('type')
  const name = body.text('tag')
  const found = /^[0-9a-f]{40}$/.test(object) ? await call.git.find(object) : undefined
  if (found === undefined) throw new ApiError(422, 'Object does not exist')
  if (found.type !== type) throw new ApiError(422, `Object is not a ${type}`)
  if (name === '' || /[\0-\x20\x7f~^:?*[\\]|\.\./.test(name))
    throw new ApiError(422, 'tag is not a valid name')
  const tagger = readStamp(body.findObject('tagger'), stampOf(call.box, senderOf(call)))
  const tag: Tag = { name, object, type, tagger, message: body.text('message') }
  return created(view(call, await writeTag(call.git.objects, tag), tag))
}

async function getTag(call: RepoCall): Promise<Reply> {
  const id = call.path.text('tag_sha')
  const found = await call.git.find(id)
  if (found?.type !== 'tag') throw notFound()
  return ok(view(call, found.id, await readTag(call.git.objects, found.id)))
}

function view(call: RepoCall, id: string, tag: Tag) {
  const api = `${repoApiUrl(call.box, call.repo)}/git`
  return {
    node_id: nodeId('TA', `${call.repo.id}:${id}`),
    sha: id,
    url: `${api}/tags/${id}`,
    tag: tag.name,
    message: tag.message.trimEnd(),
    tagger: stampView(tag.tagger),
    object: { sha: tag.object, type: tag.type, url: `${api}/${tag.type}s/${tag.object}` },
    verification: UNSIGNED,
  }
}
