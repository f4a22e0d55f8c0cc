import * as z from 'zod'

/** A person or a bot, as GitHub names the sender of an event. */
export interface Sender {
  readonly login: string
  readonly isBot: boolean
}

/** Somebody of whom GitHub gives only the name, as REST writes it. */
export function senderOf(login: string): Sender {
  return { login, isBot: login.endsWith('[bot]') }
}

/** A repository as it is called now; only the ids stay. */
export interface RepositoryNames {
  readonly installation: number
  readonly id: number
  readonly nodeId: string
  readonly owner: string
  readonly name: string
  readonly defaultBranch: string
  /** Nothing can be written to it. */
  readonly archived: boolean
}

/** Where an event belongs, and who caused it. */
export interface Envelope {
  readonly repository: RepositoryNames
  readonly sender: Sender
}

const names = z.object({
  id: z.number(),
  node_id: z.string(),
  name: z.string(),
  owner: z.object({ login: z.string() }),
  default_branch: z.string().default('main'),
  archived: z.boolean().default(false),
})

const envelope = z
  .object({
    installation: z.object({ id: z.number() }),
    repository: names,
    sender: z.object({ login: z.string(), type: z.string().default('User') }),
  })
  .transform(
    ({ installation, repository, sender }): Envelope => ({
      repository: namesOf(installation.id, repository),
      sender: { login: sender.login, isBot: sender.type === 'Bot' || sender.login.endsWith('[bot]') },
    }),
  )

/** Where a payload belongs; undefined when it is of no repository that the app is installed on. */
export function findEnvelope(payload: unknown): Envelope | undefined {
  return envelope.safeParse(payload).data
}

/** A repository of an installation, as the API lists it. */
export function parseNames(installation: number, listed: unknown): RepositoryNames {
  return namesOf(installation, names.parse(listed))
}

function namesOf(installation: number, repository: z.infer<typeof names>): RepositoryNames {
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

/** Whether an installation can be used from now on. */
export interface InstallationChange {
  readonly installation: number
  readonly isUsable: boolean
  /** Its owner has accepted other permissions. */
  readonly isRenewed: boolean
}

const installationEvent = z.object({ action: z.string(), installation: z.object({ id: z.number() }) })

/** What an event says about an installation itself; undefined for any other event. */
export function findInstallationChange(name: string, payload: unknown): InstallationChange | undefined {
  if (name !== 'installation' && name !== 'installation_repositories') return undefined
  const read = installationEvent.safeParse(payload).data
  if (read === undefined) return undefined
  const isUsable = name === 'installation_repositories' || !['deleted', 'suspend'].includes(read.action)
  const isRenewed = read.action === 'new_permissions_accepted'
  return { installation: read.installation.id, isUsable, isRenewed }
}
