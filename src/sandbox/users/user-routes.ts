import { senderOf } from '../access/sender.ts'
import type { Call, Family } from '../box.ts'
import { notFound } from '../http/errors.ts'
import { ok, type Reply } from '../http/reply.ts'
import { route } from '../http/route.ts'
import { repositories, type User, users } from '../state/documents.ts'
import { findUser } from '../state/lookups.ts'
import { fullUserView, organizationView } from './user-view.ts'

/** People, bots and organisations. */
export const usersFamily: Family = {
  routes: [
    route('GET /user', 'user', (call) => ok(fullUserView(call.box, senderOf(call)))),
    route('GET /user/{account_id}', 'anyone', (call) => {
      const id = call.path.number('account_id')
      return show(
        call,
        users(call.box.store)
          .all()
          .find((user) => user.id === id),
      )
    }),
    route('GET /users/{username}', 'anyone', (call) =>
      show(call, findUser(call.box.store, call.path.text('username'))),
    ),
    route('GET /orgs/{org}', 'anyone', getOrganization),
  ],
}

function show(call: Call, user: User | undefined): Reply {
  if (user === undefined) throw notFound()
  return ok(fullUserView(call.box, user))
}

function getOrganization(call: Call): Reply {
  const user = findUser(call.box.store, call.path.text('org'))
  if (user?.type !== 'Organization') throw notFound()
  const open = repositories(call.box.store)
    .all()
    .filter((repo) => repo.owner === user.login && !repo.private)
  return ok({
    ...organizationView(call.box, user.login),
    html_url: `${call.box.url}/${user.login}`,
    type: 'Organization',
    has_organization_projects: false,
    has_repository_projects: false,
    public_repos: open.length,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: user.createdAt,
    updated_at: user.createdAt,
    archived_at: null,
  })
}
