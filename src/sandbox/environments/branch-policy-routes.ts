import type { Family, RepoCall } from '../box.ts'
import { nodeId } from '../format.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { listIn, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { getEnvironment } from './environment-routes.ts'
import { type BranchPolicy, environments } from './environments.ts'

const POLICIES = '/repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies'
const POLICY = `${POLICIES}/{branch_policy_id}`
const READ = { actions: 'read' } as const
const WRITE = { administration: 'write' } as const

/** Name patterns of the branches and tags that may use an environment. */
export const branchPoliciesFamily: Family = {
  routes: [
    repoRoute(`GET ${POLICIES}`, READ, (call) =>
      listIn(call, 'branch_policies', getEnvironment(call).policies, view),
    ),
    repoRoute(`POST ${POLICIES}`, WRITE, create),
    repoRoute(`GET ${POLICY}`, READ, (call) => ok(view(getPolicy(call)))),
    repoRoute(`PUT ${POLICY}`, WRITE, (call) => {
      const changed = { ...getPolicy(call), name: call.body.text('name') }
      save(call, (policy) => (policy.id === changed.id ? [changed] : [policy]))
      return ok(view(changed))
    }),
    repoRoute(`DELETE ${POLICY}`, WRITE, (call) => {
      const { id } = getPolicy(call)
      save(call, (policy) => (policy.id === id ? [] : [policy]))
      return noContent()
    }),
  ],
}

function getPolicy(call: RepoCall): BranchPolicy {
  const id = call.path.number('branch_policy_id')
  const found = getEnvironment(call).policies.find((policy) => policy.id === id)
  if (found === undefined) throw notFound()
  return found
}

function create(call: RepoCall): Reply {
  const environment = getEnvironment(call)
  const name = call.body.text('name')
  const type = call.body.findText('type') === 'tag' ? 'tag' : 'branch'
  // As on GitHub, unless custom policies are enabled.
  if (environment.refs !== 'policies') throw notFound()
  if (environment.policies.some((policy) => policy.name === name && policy.type === type)) {
    throw new ApiError(422, 'Validation Failed')
  }
  const policy: BranchPolicy = { id: call.box.store.next('branch-policies') + 40_000, name, type }
  const policies = [...environment.policies, policy]
  environments(call.box.store).put(environment.id, { ...environment, policies })
  return ok(view(policy))
}

function save(call: RepoCall, change: (policy: BranchPolicy) => BranchPolicy[]): void {
  const environment = getEnvironment(call)
  const policies = environment.policies.flatMap(change)
  environments(call.box.store).put(environment.id, { ...environment, policies })
}

function view(policy: BranchPolicy) {
  return { id: policy.id, node_id: nodeId('DBP', policy.id), name: policy.name, type: policy.type }
}
