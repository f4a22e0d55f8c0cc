import type { Run } from '../../actions/documents.ts'
import type { Box } from '../../box.ts'
import { Fields } from '../../http/fields.ts'
import { repoHtmlUrl } from '../../repos/repository-view.ts'
import type { RepositoryDocument } from '../../state/documents.ts'
import { getUser } from '../../state/lookups.ts'
import { serverVariables } from './service-variables.ts'

/** The `github` context of a run, without the job's own fields. */
export function githubContext(box: Box, repo: RepositoryDocument, run: Run): Record<string, unknown> {
  const payload = new Fields(run.payload)
  const pull = payload.findObject('pull_request')
  const server = serverVariables(box)
  return {
    actor: run.actor,
    actor_id: String(getUser(box.store, run.actor).id),
    triggering_actor: run.triggeringActor,
    event_name: run.event,
    event: run.payload,
    ref: run.ref,
    ref_name: run.ref.replace(/^refs\/(heads|tags|pull)\//, ''),
    ref_type: run.ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    ref_protected: 'false',
    head_ref: pull?.findObject('head')?.findText('ref') ?? '',
    base_ref: pull?.findObject('base')?.findText('ref') ?? '',
    sha: run.mergeSha ?? run.headSha,
    repository: `${repo.owner}/${repo.name}`,
    repository_id: String(repo.id),
    repository_owner: repo.owner,
    repository_owner_id: String(getUser(box.store, repo.owner).id),
    repositoryUrl: `${repoHtmlUrl(box, repo)}.git`,
    retention_days: '90',
    run_id: String(run.id),
    run_number: String(run.number),
    run_attempt: String(run.attempt),
    secret_source: 'Actions',
    server_url: server.GITHUB_SERVER_URL,
    api_url: server.GITHUB_API_URL,
    graphql_url: server.GITHUB_GRAPHQL_URL,
    workflow: run.name,
    workflow_ref: `${repo.owner}/${repo.name}/${run.path}@${run.ref}`,
    workflow_sha: run.headSha,
  }
}

/** The typed inputs of a dispatch. A boolean is a boolean in `inputs`, but text in the event. */
export function inputsContext(run: Run, types: Readonly<Record<string, string>>): Record<string, unknown> {
  const given = new Fields(run.payload).findObject('inputs')?.toJson() ?? {}
  const typed = Object.entries(given).map(([name, value]) => {
    if (types[name] === 'boolean') return [name, String(value) === 'true'] as const
    if (types[name] === 'number') return [name, Number(value)] as const
    return [name, value] as const
  })
  return Object.fromEntries(typed)
}

// Not passed to processes, or passed in another way.
const NO_VARIABLES = new Set(['event', 'token', 'repositoryUrl', 'secret_source', 'action_status'])

/** The `github` context as variables for processes: `GITHUB_REF` and so on. */
export function githubVariables(github: Readonly<Record<string, unknown>>): Record<string, string> {
  const known = Object.entries(github).filter(
    ([name, value]) => !NO_VARIABLES.has(name) && typeof value === 'string',
  )
  const pairs = known.map(([name, value]) => [`GITHUB_${name.toUpperCase()}`, String(value)] as const)
  return { ...Object.fromEntries(pairs), GITHUB_ACTIONS: 'true' }
}
