import { LoreleyError } from '../../../errors.ts'
import { valuesForJob } from '../../actions/secrets/secrets-and-variables.ts'
import type { Box } from '../../box.ts'
import { createEnvironment } from '../../environments/environment-routes.ts'
import { type Environment, findEnvironment, mayUseEnvironment } from '../../environments/environments.ts'
import type { RepositoryDocument } from '../../state/documents.ts'
import { evaluateText, type Scope } from '../syntax/evaluate.ts'
import { TemplateMap } from '../syntax/template.ts'
import type { JobDefinition } from '../syntax/workflow-definition.ts'

/** A job's secrets and variables, from the repository and its environment. */
export interface JobValues {
  readonly secrets: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
}

/** Loads a job's secrets and variables. Throws when the job may not use its environment. */
export function loadJobValues(
  box: Box,
  { repo, ref }: { readonly repo: RepositoryDocument; readonly ref: string },
  definition: JobDefinition,
  scope: Scope,
): JobValues {
  const { environment: declared } = definition
  const name = evaluateText(declared instanceof TemplateMap ? declared.find('name') : declared, scope)
  // As on GitHub, a missing environment is created without protection.
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
    throw refused(
      `The environment ${name} requires reviewers or a wait timer, which the sandbox does not support.`,
    )
  }
}

function refused(message: string): LoreleyError {
  return new LoreleyError('workflow-invalid', message, "Check the environment's protection rules.")
}
