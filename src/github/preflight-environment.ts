import * as z from 'zod'
import { type Finding, fine } from './finding.ts'
import type { RepositoryApi } from './repository-api.ts'
import type { RepositoryFacts } from './repository-facts.ts'

/** Where the model's key is kept, out of the reach of other workflows. */
const ENVIRONMENT = 'loreley'

const RUNNER_BRANCHES = 'loreley/runner/*'

const environmentAnswer = z.object({
  protection_rules: z.array(z.object({ type: z.string() })).nullish(),
  deployment_branch_policy: z.object({ custom_branch_policies: z.boolean() }).nullish(),
})
const policies = z.object({ branch_policies: z.array(z.object({ name: z.string() })) })

/** Whether the environment lets our runs in at once, and nobody else. */
export async function checkEnvironment(
  api: RepositoryApi,
  { private: isPrivate }: RepositoryFacts,
): Promise<Finding> {
  const outcome = await api.ask({
    route: 'GET /repos/{owner}/{repo}/environments/{environment_name}',
    parameters: { environment_name: ENVIRONMENT },
    answer: environmentAnswer,
    priority: 'state',
  })
  if (outcome.status !== 'done')
    return warn(
      `There is no environment \`${ENVIRONMENT}\`; GitHub would make an unprotected one.${
        isPrivate ? ' Private repositories of free accounts have no environments.' : ''
      }`,
      `Create it for the branches \`${RUNNER_BRANCHES}\` with the model's key, or use a repository secret: every writer can then read the key.`,
    )
  const { protection_rules: rules, deployment_branch_policy: policy } = outcome.value
  const waits = (rules ?? []).map(({ type }) => type).filter((type) => type !== 'branch_policy')
  if (waits.length > 0)
    return {
      topic: 'environment',
      state: 'blocked',
      message: `The environment \`${ENVIRONMENT}\` makes every run wait (${waits.join(', ')}).`,
      remedy: 'Remove its required reviewers, wait timer and custom rules.',
    }
  if (policy?.custom_branch_policies !== true)
    return warn(
      `Any workflow on any branch can read the secrets of the environment \`${ENVIRONMENT}\`.`,
      `Limit it to the branches \`${RUNNER_BRANCHES}\`.`,
    )
  return await checkPolicies(api)
}

async function checkPolicies(api: RepositoryApi): Promise<Finding> {
  const { branch_policies: found } = await api.get({
    route: 'GET /repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies',
    parameters: { environment_name: ENVIRONMENT, per_page: 100 },
    answer: policies,
    priority: 'state',
  })
  if (found.some(({ name }) => name === RUNNER_BRANCHES))
    return fine('environment', `The environment \`${ENVIRONMENT}\` lets only our runs in.`)
  return {
    topic: 'environment',
    state: 'blocked',
    message: `The environment \`${ENVIRONMENT}\` does not let branches \`${RUNNER_BRANCHES}\` in.`,
    remedy: `Add \`${RUNNER_BRANCHES}\` to its deployment branches.`,
  }
}

function warn(message: string, remedy: string): Finding {
  return { topic: 'environment', state: 'warning', message, remedy }
}
