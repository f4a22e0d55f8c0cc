import type { PermissionReader } from '../../github/issues/permissions.ts'

/** A person or a bot, as GitHub names the sender of an event. */
export interface Sender {
  readonly login: string
  readonly isBot: boolean
}

/** The sender behind a login, for answers that hold nothing else. */
export function senderOf(login: string): Sender {
  return { login, isBot: login.endsWith('[bot]') }
}

/** Whether somebody may start, steer and spend. A bot never may: it could be talked into it. */
export async function mayWrite(
  { permissions }: { readonly permissions: PermissionReader },
  { login, isBot }: Sender,
): Promise<boolean> {
  return !isBot && (await permissions.canWrite(login))
}
