import { senderOf } from '../access/sender.ts'
import type { Call, Family } from '../box.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { created, list, type Reply } from '../http/reply.ts'
import { route } from '../http/route.ts'
import { type RepositoryDocument, type Role, repositories } from '../state/documents.ts'
import { findRole, findUser } from '../state/lookups.ts'
import { createRepository } from './repository-routes.ts'
import { fullRepositoryView, repositoryView } from './repository-view.ts'

/** The repositories of people and organisations. */
export const accountRepositoriesFamily: Family = {
  routes: [
    route('POST /user/repos', 'user', (call) => create(call, senderOf(call).login, {})),
    route('POST /orgs/{org}/repos', 'user', createInOrganization),
    route('GET /user/repos', 'user', listOwn),
    route('GET /users/{username}/repos', 'anyone', listForUser),
  ],
}

// Organisations have no members here. An admin of one of its repositories counts as an owner.
async function createInOrganization(call: Call): Promise<Reply> {
  const owner = findUser(call.box.store, call.path.text('org'))
  if (owner?.type !== 'Organization') throw notFound()
  const { login } = senderOf(call)
  const isOwner = repositoriesOf(call, owner.login).some((repo) => findRole(repo, login) === 'admin')
  if (!isOwner) {
    throw new ApiError(403, 'You need admin access to the organization before adding a repository to it.')
  }
  return await create(call, owner.login, { [login]: 'admin' })
}

async function create(
  call: Call,
  owner: string,
  collaborators: Readonly<Record<string, Role>>,
): Promise<Reply> {
  const { body } = call
  const sender = senderOf(call)
  const description = body.findText('description')
  const name = body.text('name')
  const repo = await createRepository(call.box, {
    owner,
    name,
    private: body.findFlag('private') ?? body.findText('visibility') === 'private',
    collaborators,
    sender,
    ...(description === undefined ? {} : { description }),
    ...(body.findFlag('auto_init') === true ? { files: { 'README.md': `# ${name}\n` } } : {}),
  })
  return created(fullRepositoryView(call.box, repo, sender.login))
}

function repositoriesOf(call: Call, owner: string): RepositoryDocument[] {
  return repositories(call.box.store)
    .all()
    .filter((repo) => repo.owner.toLowerCase() === owner.toLowerCase())
}

async function listOwn(call: Call): Promise<Reply> {
  const { login } = senderOf(call)
  const own = repositories(call.box.store)
    .all()
    .filter((repo) => repo.owner === login || repo.collaborators[login] !== undefined)
    .filter((repo) => findRole(repo, login) !== undefined)
  return await list(call, own, (repo) => repositoryView(call.box, repo, login))
}

// Only public repositories, whoever asks.
async function listForUser(call: Call): Promise<Reply> {
  const user = findUser(call.box.store, call.path.text('username'))
  if (user === undefined) throw notFound()
  const open = repositoriesOf(call, user.login).filter((repo) => !repo.private)
  return await list(call, open, (repo) => repositoryView(call.box, repo))
}
