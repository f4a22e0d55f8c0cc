import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { isAncestor } from '../../git/history.ts'
import { type BackendAnswer, runHttpBackend } from '../../git/http-backend.ts'
import { listRefs } from '../../git/repository.ts'
import type { Actor } from '../access/actor.ts'
import { authenticate } from '../access/authenticate.ts'
import { canUse } from '../access/permissions.ts'
import { rightsOf } from '../access/sender.ts'
import type { Box } from '../box.ts'
import { ApiError } from '../http/errors.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { findRepository, getUser } from '../state/lookups.ts'
import type { BareRepository } from './bare-repository.ts'
import { openPushCheck } from './pre-receive.ts'
import type { RefMove } from './ref-move.ts'
import { announceMoves } from './ref-moves.ts'

const GIT_PATH = /^\/([^/]+)\/([^/]+?)(?:\.git)?(\/info\/refs|\/git-upload-pack|\/git-receive-pack)$/

/** True for the requests of `git clone`, `fetch` and `push`. */
export function isGitRequest(pathname: string): boolean {
  return GIT_PATH.test(pathname)
}

/** Serves git's smart HTTP on the API's repositories. A token is the password. */
export async function serveGit(
  box: Box,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const [, owner = '', name = '', path = ''] = GIT_PATH.exec(url.pathname) ?? []
  const writes = path === '/git-receive-pack' || url.searchParams.get('service') === 'git-receive-pack'
  const actor = findActor(box, request.headers.authorization)
  const repo = findRepository(box.store, decodeURIComponent(owner), decodeURIComponent(name))
  const refusal = findRefusal(actor, repo, writes)
  if (refusal !== undefined || repo === undefined || actor === undefined) {
    const status = refusal ?? 404
    response.writeHead(status, { 'content-type': 'text/plain', ...(status === 401 ? CHALLENGE : {}) })
    response.end(status === 401 ? 'Authentication required.\n' : 'Repository not found.\n')
    return
  }
  const git = await box.git.get(repo.id)
  const run = (hook?: HookEnvironment): Promise<BackendAnswer> =>
    startBackend(box, { request, url, path, git, actor, ...(hook === undefined ? {} : { hook }) })
  if (path !== '/git-receive-pack') {
    const answer = await run()
    response.writeHead(answer.status, answer.headers)
    await pipeline(answer.body, response)
    return
  }
  await receive(box, { repo, git, actor, run }, response)
}

const CHALLENGE = { 'www-authenticate': 'Basic realm="GitHub"' }

interface Push {
  readonly repo: RepositoryDocument
  readonly git: BareRepository
  readonly actor: Actor
  readonly run: (hook?: HookEnvironment) => Promise<BackendAnswer>
}

type HookEnvironment = Readonly<Record<string, string>>

// Answer only after the moves are recorded, so that the pusher finds them in the API.
async function receive(box: Box, { repo, git, actor, run }: Push, response: ServerResponse): Promise<void> {
  const sender = actor.kind === 'anonymous' ? getUser(box.store, 'ghost') : actor.user
  const runId = actor.kind === 'installation' ? actor.token.runId : undefined
  const mover = { sender, ...rightsOf(actor), ...(runId === undefined ? {} : { runId }) }
  const { answer, body, moves } = await git.exclusively(async () => {
    const before = await listRefs(git.repository, 'refs/')
    const check = await openPushCheck(box, repo, { git, mover })
    try {
      const started = await run(check?.environment)
      const received = await buffer(started.body)
      await started.ended
      const after = await listRefs(git.repository, 'refs/')
      return { answer: started, body: received, moves: await compareRefs(git, before, after) }
    } finally {
      check?.close()
    }
  })
  await announceMoves(box, repo, moves, mover)
  response.writeHead(answer.status, answer.headers)
  response.end(body)
}

async function compareRefs(
  git: BareRepository,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Promise<RefMove[]> {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  const changed = names.filter((ref) => before.get(ref) !== after.get(ref))
  return await Promise.all(
    changed.map(async (ref) => {
      const from = before.get(ref)
      const to = after.get(ref)
      const forced = from !== undefined && to !== undefined && !(await isAncestor(git.repository, from, to))
      return { ref, before: from, after: to, forced }
    }),
  )
}

function findActor(box: Box, header: string | undefined): Actor | undefined {
  try {
    return authenticate(box, header)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

function findRefusal(
  actor: Actor | undefined,
  repo: RepositoryDocument | undefined,
  writes: boolean,
): number | undefined {
  if (actor === undefined) return 401
  const need = { contents: writes ? 'write' : 'read' } as const
  if (repo !== undefined && canUse(actor, repo, need)) return writes && repo.archived ? 403 : undefined
  if (actor.kind === 'anonymous') return 401
  return repo !== undefined && canUse(actor, repo, { contents: 'read' }) ? 403 : 404
}

interface BackendCall {
  readonly request: IncomingMessage
  readonly url: URL
  readonly path: string
  readonly git: BareRepository
  readonly actor: Actor
  readonly hook?: HookEnvironment
}

async function startBackend(
  box: Box,
  { request, url, path, git, actor, hook }: BackendCall,
): Promise<BackendAnswer> {
  const header = (name: string): string | undefined => {
    const value = request.headers[name]
    return typeof value === 'string' ? value : undefined
  }
  return await runHttpBackend({
    repository: git.repository,
    method: request.method ?? 'GET',
    path,
    query: url.search.slice(1),
    contentType: header('content-type'),
    contentEncoding: header('content-encoding'),
    gitProtocol: header('git-protocol'),
    remoteUser: actor.kind === 'anonymous' ? '' : actor.user.login,
    body: request,
    ...(hook === undefined ? {} : { hooks: { folder: box.git.hooksFolder, environment: hook } }),
  })
}
