import * as z from 'zod'
import {
  type InstalledRepository,
  installedRepositoryOf,
  repositoryAnswer,
} from '../../github/installation/installed-repository.ts'
import type { Sender } from '../people/sender.ts'

/** The repository of an event, and its sender. */
export interface Envelope {
  readonly repository: InstalledRepository
  readonly sender: Sender
}

const envelope = z
  .object({
    installation: z.object({ id: z.number() }),
    repository: repositoryAnswer,
    sender: z.object({ login: z.string(), type: z.string().default('User') }),
  })
  .transform(
    ({ installation, repository, sender }): Envelope => ({
      repository: installedRepositoryOf(installation.id, repository),
      sender: { login: sender.login, isBot: sender.type === 'Bot' || sender.login.endsWith('[bot]') },
    }),
  )

/** The envelope of a payload; undefined if the app is not installed on its repository. */
export function findEnvelope(payload: unknown): Envelope | undefined {
  return envelope.safeParse(payload).data
}

/** Whether an installation can be used from now on. */
export interface InstallationChange {
  readonly installation: number
  readonly isUsable: boolean
  /** Its owner has accepted other permissions. */
  readonly isRenewed: boolean
}

const installationEvent = z.object({ action: z.string(), installation: z.object({ id: z.number() }) })

/** A change of an installation itself; undefined for any other event. */
export function findInstallationChange(name: string, payload: unknown): InstallationChange | undefined {
  if (name !== 'installation' && name !== 'installation_repositories') return undefined
  const read = installationEvent.safeParse(payload).data
  if (read === undefined) return undefined
  const isUsable = name === 'installation_repositories' || !['deleted', 'suspend'].includes(read.action)
  const isRenewed = read.action === 'new_permissions_accepted'
  return { installation: read.installation.id, isUsable, isRenewed }
}
