import * as z from 'zod'

/** A repository under its current name. Only the ids never change. */
export interface InstalledRepository {
  readonly installation: number
  readonly id: number
  readonly nodeId: string
  readonly owner: string
  readonly name: string
  readonly defaultBranch: string
  /** An archived repository accepts no writes. */
  readonly archived: boolean
}

export const repositoryAnswer = z.object({
  id: z.number(),
  node_id: z.string(),
  name: z.string(),
  owner: z.object({ login: z.string() }),
  default_branch: z.string().default('main'),
  archived: z.boolean().default(false),
})

/** A repository of an installation, as the API lists it. */
export function parseInstalled(installation: number, listed: unknown): InstalledRepository {
  return installedRepositoryOf(installation, repositoryAnswer.parse(listed))
}

/** The coordinates in an answer or a webhook. */
export function installedRepositoryOf(
  installation: number,
  repository: z.infer<typeof repositoryAnswer>,
): InstalledRepository {
  const { id, node_id, name, owner, default_branch, archived } = repository
  return {
    installation,
    id,
    nodeId: node_id,
    owner: owner.login,
    name,
    defaultBranch: default_branch,
    archived,
  }
}
