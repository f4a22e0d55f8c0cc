import picomatch from 'picomatch'
import * as z from 'zod'
import { runnerRef } from '../../store/layout.ts'
import type { RepositoryApi } from '../api/repository-api.ts'
import type { RepositoryFacts } from '../repository-facts.ts'
import { type Finding, fine } from './finding.ts'

/** Holds the model's key, out of reach of other workflows. */
const ENVIRONMENT = 'loreley'

const RUNNER_BRANCHES = 'loreley/runner/*'

const environmentAnswer = z.object({
  protection_rules: z.array(z.object({ type: z.string() })).nullish(),
  deployment_branch_policy: z
    .object({ protected_branches: z.boolean(), custom_branch_policies: z.boolean() })
    .nullish(),
})
const policies = z.object({
  // Older policies have no type and mean branches.
  branch_policies: z.array(z.object({ name: z.string(), type: z.string().default('branch') })),
})

/** Which runs need the environment, and why. */
interface Entrance {
  readonly campaign: string
  /** Whether it provides a model's key. */
  readonly needsKey: boolean
}

/**
 * Whether the environment admits our runs at once, and nobody else's. Every run names it; what others could read there
 * matters only if it holds a key.
 */
export async function checkEnvironment(
  api: RepositoryApi,
  { private: isPrivate }: RepositoryFacts,
  { campaign, needsKey }: Entrance,
): Promise<Finding> {
  const warnOfKey = (message: string, remedy: string): Finding =>
    needsKey
      ? warn(message, remedy)
      : fine('environment', `The environment \`${ENVIRONMENT}\` is not needed.`)
  const outcome = await api.ask({
    route: 'GET /repos/{owner}/{repo}/environments/{environment_name}',
    parameters: { environment_name: ENVIRONMENT },
    answer: environmentAnswer,
    priority: 'state',
  })
  if (outcome.status !== 'done')
    return warnOfKey(
      `There is no environment \`${ENVIRONMENT}\`; GitHub would create an unprotected one.${
        isPrivate ? ' Private repositories of free accounts have no environments.' : ''
      }`,
      `Create it for the branches \`${RUNNER_BRANCHES}\` with the model's key. Or use a repository secret, which every writer can read.`,
    )
  const { protection_rules: rules, deployment_branch_policy: policy } = outcome.value
  const waits = (rules ?? []).map(({ type }) => type).filter((type) => type !== 'branch_policy')
  if (waits.length > 0)
    return blocked(
      `The environment \`${ENVIRONMENT}\` makes every run wait (${waits.join(', ')}).`,
      'Remove its required reviewers, wait timer and custom rules.',
    )
  if (policy?.protected_branches === true)
    return blocked(
      `The environment \`${ENVIRONMENT}\` admits only protected branches, which \`${RUNNER_BRANCHES}\` are not.`,
      `Choose "Selected branches" for its deployments and add \`${RUNNER_BRANCHES}\`.`,
    )
  if (policy?.custom_branch_policies !== true)
    return warnOfKey(
      `Any workflow on any branch can read the secrets of the environment \`${ENVIRONMENT}\`.`,
      `Limit it to the branches \`${RUNNER_BRANCHES}\`.`,
    )
  return await checkPolicies(api, campaign)
}

// Only GitHub decides which patterns match, so a mismatch of ours is just a warning.
async function checkPolicies(api: RepositoryApi, campaign: string): Promise<Finding> {
  const { branch_policies: found } = await api.get({
    route: 'GET /repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies',
    parameters: { environment_name: ENVIRONMENT, per_page: 100 },
    answer: policies,
    priority: 'state',
  })
  const branch = runnerRef(campaign).slice('refs/heads/'.length)
  if (found.some(({ name, type }) => type === 'branch' && isMatch(branch, name)))
    return fine('environment', `The environment \`${ENVIRONMENT}\` admits our runs.`)
  return warn(
    `The environment \`${ENVIRONMENT}\` does not seem to admit the branch \`${branch}\`.`,
    `Add \`${RUNNER_BRANCHES}\` to its deployment branches.`,
  )
}

// Like Ruby's fnmatch, which GitHub uses: two stars cross folders only before a slash, and braces are literal.
function isMatch(branch: string, pattern: string): boolean {
  const glob = pattern.replaceAll(/\*{2,}(?!\/)/g, '*')
  return picomatch.isMatch(branch, glob, { nobrace: true, noext: true, nonegate: true })
}

function blocked(message: string, remedy: string): Finding {
  return { topic: 'environment', state: 'blocked', message, remedy }
}

function warn(message: string, remedy: string): Finding {
  return { topic: 'environment', state: 'warning', message, remedy }
}
