import type { PermissionReader } from '../../github/issues/permissions.ts'

/** A person or a bot, as GitHub names the sender of an event. */
export interface Sender {
  readonly login: string
  readonly isBot: boolean
}

/** The sender with this login, for answers that contain nothing else. */
export function senderOf(login: string): Sender {
  return { login, isBot: login.endsWith('[bot]') }
}

/** Whether somebody may start, steer and spend. A bot never may, because it could be tricked into it. */
export async function mayWrite(
  { permissions }: { readonly permissions: PermissionReader },
  { login, isBot }: Sender,
): Promise<boolean> {
  return !isBot && (await permissions.canWrite(login))
}
