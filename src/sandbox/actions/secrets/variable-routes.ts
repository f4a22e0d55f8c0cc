import type { Family, RepoCall } from '../../box.ts'
import { getEnvironment } from '../../environments/environment-routes.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import { created, listIn, noContent, ok, type Reply } from '../../http/reply.ts'
import { repoRoute } from '../../http/route.ts'
import {
  findSetting,
  listSettings,
  putSetting,
  removeSetting,
  type Scope,
  type Setting,
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

function variableRoutes(place: string, permission: string, scopeOf: (call: RepoCall) => Scope) {
  const read = { needs: { [permission]: 'read' }, role: 'write' } as const
  const write = { needs: { [permission]: 'write' }, role: 'write' } as const
  return [
    repoRoute(`GET ${place}`, read, (call) =>
      listIn(call, 'variables', listSettings(call.box, 'variable', scopeOf(call)), view),
    ),
    repoRoute(`POST ${place}`, write, (call) => create(call, scopeOf(call))),
    repoRoute(`GET ${place}/{name}`, read, (call) => ok(view(get(call, scopeOf(call))))),
    repoRoute(`PATCH ${place}/{name}`, write, (call) => update(call, scopeOf(call))),
    repoRoute(`DELETE ${place}/{name}`, write, (call) => {
      removeSetting(call.box, 'variable', scopeOf(call), get(call, scopeOf(call)).name)
      return noContent()
    }),
  ]
}

function get(call: RepoCall, scope: Scope): Setting {
  const found = findSetting(call.box, 'variable', scope, call.path.text('name'))
  if (found === undefined) throw notFound()
  return found
}

function create(call: RepoCall, scope: Scope): Reply {
  const name = call.body.text('name')
  assertName(name)
  if (findSetting(call.box, 'variable', scope, name) !== undefined) {
    throw new ApiError(409, 'Already exists - Variable already exists')
  }
  putSetting(call.box, 'variable', scope, { name, value: call.body.text('value') })
  return created({})
}

function update(call: RepoCall, scope: Scope): Reply {
  const known = get(call, scope)
  const name = call.body.findText('name') ?? known.name
  assertName(name)
  removeSetting(call.box, 'variable', scope, known.name)
  putSetting(call.box, 'variable', scope, { name, value: call.body.findText('value') ?? known.value })
  return noContent()
}

function assertName(name: string): void {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !/^GITHUB_/i.test(name)) return
  throw new ApiError(
    422,
    'Variable names can only contain alphanumeric characters ([a-z], [A-Z], [0-9]) or underscores (_), and must not start with GITHUB_ or a number.',
  )
}

function view({ name, value, createdAt, updatedAt }: Setting) {
  return { name, value, created_at: createdAt, updated_at: updatedAt }
}
