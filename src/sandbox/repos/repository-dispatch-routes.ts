import { byActor } from '../access/sender.ts'
import type { Family, RepoCall } from '../box.ts'
import { ApiError } from '../http/errors.ts'
import { noContent, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { emit } from '../webhooks/emit.ts'

/** Events of the caller's own making. */
export const repositoryDispatchFamily: Family = {
  routes: [repoRoute('POST /repos/{owner}/{repo}/dispatches', { contents: 'write' }, dispatch)],
}

const MAX_PAYLOAD_CHARACTERS = 65_535

async function dispatch(call: RepoCall): Promise<Reply> {
  const { box, repo, body } = call
  const given = body.findObject('client_payload')?.toJson()
  if (JSON.stringify(given ?? {}).length > MAX_PAYLOAD_CHARACTERS) {
    throw new ApiError(422, 'client_payload is too large.')
  }
  const payload = {
    action: body.text('event_type'),
    branch: repo.defaultBranch,
    client_payload: given ?? null,
  }
  await emit(box, { name: 'repository_dispatch', payload, repo, ...byActor(call) })
  return noContent()
}
