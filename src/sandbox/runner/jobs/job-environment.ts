import { LoreleyError } from '../../../errors.ts'
import { valuesForJob } from '../../actions/secrets/secrets-and-variables.ts'
import type { Box } from '../../box.ts'
import { createEnvironment } from '../../environments/environment-routes.ts'
import { type Environment, findEnvironment, mayUseEnvironment } from '../../environments/environments.ts'
import type { RepositoryDocument } from '../../state/documents.ts'
import { evaluateText, type Scope } from '../syntax/evaluate.ts'
import { TemplateMap } from '../syntax/template.ts'
import type { JobDefinition } from '../syntax/workflow-definition.ts'

/** What a job gets from the repository and from the environment that it names. */
export interface JobValues {
  readonly secrets: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
}

/** Finds a job's secrets and variables; a job that may not use its environment is refused. */
export function loadJobValues(
  box: Box,
  { repo, ref }: { readonly repo: RepositoryDocument; readonly ref: string },
  definition: JobDefinition,
  scope: Scope,
): JobValues {
  const { environment: declared } = definition
  const name = evaluateText(declared instanceof TemplateMap ? declared.find('name') : declared, scope)
  // One that does not exist is made, without any protection: GitHub does the same.
  const environment =
    name === '' ? undefined : (findEnvironment(box, repo, name) ?? createEnvironment(box, repo, name))
  if (environment !== undefined) assertUsable(box, repo, environment, ref)
  const owner = { repo, environmentId: environment?.id ?? null }
  return {
    secrets: valuesForJob(box, 'secret', owner),
    variables: valuesForJob(box, 'variable', owner),
  }
}

function assertUsable(box: Box, repo: RepositoryDocument, environment: Environment, ref: string): void {
  const { name, reviewers, waitTimer } = environment
  if (!mayUseEnvironment(box, repo, environment, ref)) {
    const branch = ref.replace(/^refs\/(heads|tags)\//, '')
    throw refused(
      `Branch "${branch}" is not allowed to deploy to ${name} due to environment protection rules.`,
    )
  }
  if (reviewers.length > 0 || waitTimer > 0) {
    throw refused(`The environment ${name} waits for reviewers or a timer, which the box does not play.`)
  }
}

function refused(message: string): LoreleyError {
  return new LoreleyError('workflow-invalid', message, "Look at the environment's rules.")
}
