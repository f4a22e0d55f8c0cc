import type { App, Installation, InstallationToken, User } from '../state/documents.ts'

/** Who calls. */
export type Actor =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'user'; readonly user: User }
  | { readonly kind: 'app'; readonly app: App; readonly user: User }
  | {
      readonly kind: 'installation'
      readonly app: App
      readonly installation: Installation
      readonly token: InstallationToken
      /** The App's bot, `slug[bot]`. */
      readonly user: User
    }

/** A name for counting an actor's requests. */
export function actorKey(actor: Actor): string {
  switch (actor.kind) {
    case 'anonymous':
      return 'anonymous'
    case 'user':
      return `user ${actor.user.login}`
    case 'app':
      return `app ${actor.app.id}`
    case 'installation':
      return `installation ${actor.installation.id}`
  }
}
