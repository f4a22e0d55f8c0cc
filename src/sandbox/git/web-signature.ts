import { createHmac, randomBytes } from 'node:crypto'
import type { FullCommit } from '../../git/objects/commits.ts'
import type { Box } from '../box.ts'
import { defineTable } from '../state/store.ts'

const secrets = defineTable<string>('web-signature')

/** Signs the sandbox's own commits, as GitHub does. Only the sandbox can verify the signature. */
export function signAsBox(box: Box): (payload: string) => string {
  const secret =
    secrets(box.store).find('secret') ?? secrets(box.store).put('secret', randomBytes(32).toString('hex'))
  return (payload) => {
    const proof = createHmac('sha256', secret).update(payload).digest('base64')
    return `-----BEGIN PGP SIGNATURE-----\n\n${proof}\n-----END PGP SIGNATURE-----`
  }
}

/** True for a commit signed by the sandbox. It does not know people's keys. */
export function isVerified(box: Box, { payload, signature }: FullCommit): boolean {
  return payload !== undefined && signature === signAsBox(box)(payload)
}
