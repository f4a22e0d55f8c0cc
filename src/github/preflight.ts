import { type Finding, fine } from './finding.ts'
import { checkEnvironment } from './preflight-environment.ts'
import { checkNames } from './preflight-names.ts'
import { checkRules } from './preflight-rules.ts'
import { checkWorkflow } from './preflight-workflow.ts'
import { RefUpdates } from './ref-updates.ts'
import type { RepositoryApi } from './repository-api.ts'
import { type RepositoryFacts, readRepository } from './repository-facts.ts'

/** What a preflight is made for. */
export interface PreflightOrder {
  readonly campaign: string
  /** The workflow's file name, such as `loreley.yml`. */
  readonly workflow: string
  /** What runs are dispatched on; the default branch before the campaign has begun. */
  readonly ref?: string
  /** Whether a model's key is taken from the environment `loreley`. */
  readonly needsKey: boolean
}

/** Looks at everything that GitHub may refuse, before a campaign starts and when something was refused. */
export async function preflight(api: RepositoryApi, order: PreflightOrder): Promise<readonly Finding[]> {
  const facts = await readRepository(api)
  const repository = await checkRepository(api, facts)
  if (repository.state === 'blocked') return [repository]
  return [
    repository,
    await checkNames(api),
    ...(await checkRules(api, order.campaign)),
    await checkWorkflow(api, order.workflow, order.ref ?? facts.defaultBranch),
    await checkEnvironment(api, facts, order),
  ]
}

async function checkRepository(api: RepositoryApi, facts: RepositoryFacts): Promise<Finding> {
  const topic = 'repository'
  const blocked = (message: string, remedy: string): Finding => ({ topic, state: 'blocked', message, remedy })
  if (facts.archived)
    return blocked(`${facts.fullName} is archived: nothing can be written.`, 'Unarchive it in its settings.')
  if (facts.disabled)
    return blocked(`GitHub has disabled ${facts.fullName}.`, 'Its owner has to ask GitHub support.')
  const head = await new RefUpdates(api, 'state').find(`refs/heads/${facts.defaultBranch}`)
  if (head === undefined)
    return blocked(
      `${facts.fullName} has no commit on ${facts.defaultBranch}.`,
      'Push a first commit to the default branch.',
    )
  if (!facts.fork) return fine(topic, `${facts.fullName} can be written to.`)
  return {
    topic,
    state: 'warning',
    message: `${facts.fullName} is a fork: workflows are off there until somebody turns them on.`,
    remedy: 'Open the Actions tab once and enable workflows.',
  }
}
