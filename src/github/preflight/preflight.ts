import type { RepositoryApi } from '../api/repository-api.ts'
import { RefUpdates } from '../git/ref-updates.ts'
import { type RepositoryFacts, readRepository } from '../repository-facts.ts'
import { checkEnvironment } from './environment.ts'
import { type Finding, fine } from './finding.ts'
import { checkRules } from './rules.ts'
import { checkWorkflow } from './workflow.ts'

/** What to check a repository for. */
export interface PreflightRequest {
  readonly campaign: string
  /** The workflow's file name, such as `loreley.yml`. */
  readonly workflow: string
  /** The ref that runs are dispatched on; the default branch before the campaign starts. */
  readonly ref?: string
  /** Whether the environment `loreley` provides a model's key. */
  readonly needsKey: boolean
}

/** Checks everything that GitHub may refuse, before a campaign starts and after a refusal. */
export async function preflight(api: RepositoryApi, request: PreflightRequest): Promise<readonly Finding[]> {
  const facts = await readRepository(api)
  const repository = await checkRepository(api, facts)
  if (repository.state === 'blocked') return [repository]
  return [
    repository,
    await checkNames(api),
    ...(await checkRules(api, request.campaign)),
    await checkWorkflow(api, request.workflow, request.ref ?? facts.defaultBranch),
    await checkEnvironment(api, facts, request),
  ]
}

async function checkRepository(api: RepositoryApi, facts: RepositoryFacts): Promise<Finding> {
  const topic = 'repository'
  const blocked = (message: string, remedy: string): Finding => ({ topic, state: 'blocked', message, remedy })
  if (facts.archived)
    return blocked(
      `${facts.fullName} is archived, so nothing can be written.`,
      'Unarchive it in its settings.',
    )
  if (facts.disabled)
    return blocked(`GitHub has disabled ${facts.fullName}.`, 'Its owner has to ask GitHub support.')
  const head = await new RefUpdates(api, 'state').find(`refs/heads/${facts.defaultBranch}`)
  if (head === undefined)
    return blocked(
      `${facts.fullName} has no commit on ${facts.defaultBranch}.`,
      'Push a first commit to the default branch.',
    )
  if (!facts.fork) return fine(topic, `${facts.fullName} is writable.`)
  return {
    topic,
    state: 'warning',
    message: `${facts.fullName} is a fork, where workflows are disabled until somebody enables them.`,
    remedy: 'Enable workflows on the Actions tab.',
  }
}

// Git cannot have a branch `a/b` beside a branch `a`.
const FOLDERS = ['loreley', 'loreley/elite', 'loreley/runner', 'loreley/pr'].map(
  (name) => `refs/heads/${name}`,
)
const BELOW_STATE = 'refs/heads/loreley/state/'

/** Whether an existing branch blocks the names of ours. */
async function checkNames(api: RepositoryApi): Promise<Finding> {
  const refs = await new RefUpdates(api, 'state').list('refs/heads/loreley')
  const inTheWay = [...refs.keys()].filter((ref) => FOLDERS.includes(ref) || ref.startsWith(BELOW_STATE))
  if (inTheWay.length === 0) return fine('branch-names', 'No branch blocks ours.')
  const names = inTheWay.map((ref) => `\`${ref.slice('refs/heads/'.length)}\``).join(', ')
  return {
    topic: 'branch-names',
    state: 'blocked',
    message: `The branch ${names} blocks branches such as \`loreley/state\`.`,
    remedy: `Rename or delete ${names}.`,
  }
}
