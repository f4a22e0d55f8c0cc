import { removeValues } from '../actions/secrets/secrets-and-variables.ts'
import type { Box, Family, RepoCall } from '../box.ts'
import { isoTime, nodeId } from '../format.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { listIn, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { repoApiUrl, repoHtmlUrl } from '../repos/repository-view.ts'
import { type RepositoryDocument, users } from '../state/documents.ts'
import { userView } from '../users/user-view.ts'
import { type Environment, environments, environmentsOf, findEnvironment } from './environments.ts'

const ENVIRONMENT = '/repos/{owner}/{repo}/environments/{environment_name}'
const READ = { actions: 'read' } as const
const WRITE = { administration: 'write' } as const

/** Environments and their protection. */
export const environmentsFamily: Family = {
  routes: [
    repoRoute('GET /repos/{owner}/{repo}/environments', READ, (call) =>
      listIn(call, 'environments', environmentsOf(call.box, call.repo), (environment) =>
        view(call.box, call.repo, environment),
      ),
    ),
    repoRoute(`GET ${ENVIRONMENT}`, READ, (call) => ok(view(call.box, call.repo, getEnvironment(call)))),
    repoRoute(`PUT ${ENVIRONMENT}`, WRITE, createOrUpdate),
    repoRoute(`DELETE ${ENVIRONMENT}`, WRITE, remove),
    repoRoute(`GET ${ENVIRONMENT}/deployment_protection_rules`, READ, listProtectionRules),
  ],
}

/** The environment named by the path. */
export function getEnvironment(call: RepoCall): Environment {
  const found = findEnvironment(call.box, call.repo, call.path.text('environment_name'))
  if (found === undefined) throw notFound()
  return found
}

// Protection rules of other Apps are not supported.
function listProtectionRules(call: RepoCall): Reply {
  getEnvironment(call)
  return ok({ total_count: 0, custom_deployment_protection_rules: [] })
}

function createOrUpdate(call: RepoCall): Reply {
  const { body } = call
  const known = findEnvironment(call.box, call.repo, call.path.text('environment_name'))
  const environment = known ?? createEnvironment(call.box, call.repo, call.path.text('environment_name'))
  // Unlike in other updates, missing fields are reset.
  const changed = environments(call.box.store).put(environment.id, {
    ...environment,
    waitTimer: body.findNumber('wait_timer') ?? 0,
    preventSelfReview: body.findFlag('prevent_self_review') ?? false,
    reviewers: body.objects('reviewers').map((reviewer) => reviewer.number('id')),
    refs: body.has('deployment_branch_policy') ? readRefs(call) : environment.refs,
    updatedAt: isoTime(call.box.now()),
  })
  return ok(view(call.box, call.repo, changed))
}

/** Creates an unprotected environment, as GitHub does when a job names a missing one. */
export function createEnvironment(box: Box, repo: RepositoryDocument, name: string): Environment {
  const id = box.store.next('environments') + 30_000
  const now = isoTime(box.now())
  return environments(box.store).put(id, {
    id,
    repositoryId: repo.id,
    name,
    waitTimer: 0,
    preventSelfReview: false,
    reviewers: [],
    refs: 'all',
    policies: [],
    createdAt: now,
    updatedAt: now,
  })
}

function readRefs(call: RepoCall): Environment['refs'] {
  const policy = call.body.findObject('deployment_branch_policy')
  if (policy === undefined) return 'all'
  const isProtected = policy.findFlag('protected_branches') ?? false
  if (isProtected === (policy.findFlag('custom_branch_policies') ?? false)) {
    throw new ApiError(422, 'protected_branches and custom_branch_policies cannot have the same value')
  }
  return isProtected ? 'protected' : 'policies'
}

function remove(call: RepoCall): Reply {
  const { id } = getEnvironment(call)
  environments(call.box.store).remove(id)
  removeValues(call.box, call.repo, id)
  return noContent()
}

function view(box: Box, repo: RepositoryDocument, environment: Environment) {
  const name = encodeURIComponent(environment.name)
  return {
    id: environment.id,
    node_id: nodeId('EN', environment.id),
    name: environment.name,
    url: `${repoApiUrl(box, repo)}/environments/${name}`,
    html_url: `${repoHtmlUrl(box, repo)}/deployments/activity_log?environments_filter=${name}`,
    created_at: environment.createdAt,
    updated_at: environment.updatedAt,
    protection_rules: rulesView(box, environment),
    deployment_branch_policy:
      environment.refs === 'all'
        ? null
        : {
            protected_branches: environment.refs === 'protected',
            custom_branch_policies: environment.refs === 'policies',
          },
  }
}

function rulesView(box: Box, { id, waitTimer, reviewers, refs, preventSelfReview }: Environment) {
  const rule = (number: number, type: string) => {
    const ruleId = id * 10 + number
    return { id: ruleId, node_id: nodeId('GA', ruleId), type }
  }
  const people = users(box.store)
    .all()
    .filter((user) => reviewers.includes(user.id))
  return [
    ...(waitTimer > 0 ? [{ ...rule(1, 'wait_timer'), wait_timer: waitTimer }] : []),
    ...(people.length === 0
      ? []
      : [
          {
            ...rule(2, 'required_reviewers'),
            prevent_self_review: preventSelfReview,
            reviewers: people.map((user) => ({ type: 'User', reviewer: userView(box, user) })),
          },
        ]),
    ...(refs === 'all' ? [] : [rule(3, 'branch_policy')]),
  ]
}
