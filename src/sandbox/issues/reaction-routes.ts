import type { RouteAccess } from '../access/permissions.ts'
import { senderOf } from '../access/sender.ts'
import type { Family, RepoCall, Route } from '../box.ts'
import { isoTime } from '../format.ts'
import { notFound } from '../http/errors.ts'
import { created, list, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { getComment } from './comment-routes.ts'
import { comments } from './comments.ts'
import { assertUnlocked, getIssue, isActor, notYours } from './issue-access.ts'
import { REACTIONS, type Reaction, saveIssue } from './issues.ts'
import { reactionView } from './reaction-view.ts'

/** Something that has reactions. */
export interface Reacted {
  readonly reactions: readonly Reaction[]
  save(reactions: readonly Reaction[]): void
}

/** Reactions to issues and their comments. GitHub has no webhook for them. */
export const reactionsFamily: Family = {
  routes: [
    ...reactionRoutes('/repos/{owner}/{repo}/issues/{issue_number}', 'issues', (call) => {
      const issue = getIssue(call)
      if (call.method !== 'GET') assertUnlocked(call, issue)
      const save = (reactions: readonly Reaction[]) => saveIssue(call.box.store, { ...issue, reactions })
      return { reactions: issue.reactions, save }
    }),
    ...reactionRoutes('/repos/{owner}/{repo}/issues/comments/{comment_id}', 'issues', (call) => {
      const { comment, issue } = getComment(call)
      if (call.method !== 'GET') assertUnlocked(call, issue)
      const save = (reactions: readonly Reaction[]) =>
        comments(call.box.store).put(comment.id, { ...comment, reactions })
      return { reactions: comment.reactions, save }
    }),
  ],
}

/** Routes to list, add and remove reactions below a path. `find` returns their subject or throws. */
export function reactionRoutes(
  path: string,
  permission: 'issues' | 'pull_requests',
  find: (call: RepoCall) => Reacted,
): readonly Route[] {
  const write: RouteAccess = { needs: { [permission]: 'write' }, role: 'read' }
  return [
    repoRoute(`GET ${path}/reactions`, { [permission]: 'read' }, (call) => listReactions(call, find(call))),
    repoRoute(`POST ${path}/reactions`, write, (call) => react(call, find(call))),
    repoRoute(`DELETE ${path}/reactions/{reaction_id}`, write, (call) => takeBack(call, find(call))),
  ]
}

async function listReactions(call: RepoCall, { reactions }: Reacted): Promise<Reply> {
  const content = call.query.findText('content')
  const found = reactions.filter((one) => content === undefined || one.content === content)
  return await list(call, found, (reaction) => reactionView(call.box, reaction))
}

function react(call: RepoCall, reacted: Reacted): Reply {
  const { login } = senderOf(call)
  const content = REACTIONS.find((one) => one === call.body.text('content'))
  if (content === undefined) throw notFound()
  const given = reacted.reactions.find((one) => one.login === login && one.content === content)
  if (given !== undefined) return ok(reactionView(call.box, given))
  const id = call.box.store.next('reactions')
  const reaction = { id, login, content, createdAt: isoTime(call.box.now()) }
  reacted.save([...reacted.reactions, reaction])
  return created(reactionView(call.box, reaction))
}

function takeBack(call: RepoCall, reacted: Reacted): Reply {
  const id = call.path.number('reaction_id')
  const reaction = reacted.reactions.find((one) => one.id === id)
  if (reaction === undefined) throw notFound()
  if (!isActor(call, reaction.login)) throw notYours()
  reacted.save(reacted.reactions.filter((one) => one.id !== id))
  return noContent()
}
