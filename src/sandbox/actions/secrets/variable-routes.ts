import type { Family, RepoCall } from '../../box.ts'
import { getEnvironment } from '../../environments/environment-routes.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import { created, listIn, noContent, ok, type Reply } from '../../http/reply.ts'
import { repoRoute } from '../../http/route.ts'
import {
  findValue,
  listValues,
  type NamedValue,
  putValue,
  removeValue,
  type Scope,
} from './secrets-and-variables.ts'

const REPOSITORY = '/repos/{owner}/{repo}/actions/variables'
const ENVIRONMENT = '/repos/{owner}/{repo}/environments/{environment_name}/variables'

/** Variables of repositories and environments. */
export const variablesFamily: Family = {
  routes: [
    ...variableRoutes(REPOSITORY, 'actions_variables', (call) => ({ repo: call.repo, environmentId: null })),
    ...variableRoutes(ENVIRONMENT, 'environments', (call) => ({
      repo: call.repo,
      environmentId: getEnvironment(call).id,
    })),
  ],
}

function variableRoutes(path: string, permission: string, scopeOf: (call: RepoCall) => Scope) {
  const read = { needs: { [permission]: 'read' }, role: 'write' } as const
  const write = { needs: { [permission]: 'write' }, role: 'write' } as const
  return [
    repoRoute(`GET ${path}`, read, (call) =>
      listIn(call, 'variables', listValues(call.box, 'variable', scopeOf(call)), view),
    ),
    repoRoute(`POST ${path}`, write, (call) => create(call, scopeOf(call))),
    repoRoute(`GET ${path}/{name}`, read, (call) => ok(view(get(call, scopeOf(call))))),
    repoRoute(`PATCH ${path}/{name}`, write, (call) => update(call, scopeOf(call))),
    repoRoute(`DELETE ${path}/{name}`, write, (call) => {
      removeValue(call.box, 'variable', scopeOf(call), get(call, scopeOf(call)).name)
      return noContent()
    }),
  ]
}

function get(call: RepoCall, scope: Scope): NamedValue {
  const found = findValue(call.box, 'variable', scope, call.path.text('name'))
  if (found === undefined) throw notFound()
  return found
}

function create(call: RepoCall, scope: Scope): Reply {
  const name = call.body.text('name')
  assertName(name)
  if (findValue(call.box, 'variable', scope, name) !== undefined) {
    throw new ApiError(409, 'Already exists - Variable already exists')
  }
  putValue(call.box, 'variable', scope, { name, value: call.body.text('value') })
  return created({})
}

function update(call: RepoCall, scope: Scope): Reply {
  const known = get(call, scope)
  const name = call.body.findText('name') ?? known.name
  assertName(name)
  removeValue(call.box, 'variable', scope, known.name)
  putValue(call.box, 'variable', scope, { name, value: call.body.findText('value') ?? known.value })
  return noContent()
}

function assertName(name: string): void {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !/^GITHUB_/i.test(name)) return
  throw new ApiError(
    422,
    'Variable names can only contain alphanumeric characters ([a-z], [A-Z], [0-9]) or underscores (_), and must not start with GITHUB_ or a number.',
  )
}

function view({ name, value, createdAt, updatedAt }: NamedValue) {
  return { name, value, created_at: createdAt, updated_at: updatedAt }
}
