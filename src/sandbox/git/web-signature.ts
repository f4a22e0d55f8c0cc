import { createHmac, randomBytes } from 'node:crypto'
import type { FullCommit } from '../../git/objects/commits.ts'
import type { Box } from '../box.ts'
import { defineTable } from '../state/store.ts'

const secrets = defineTable<string>('web-signature')

/** Signs what the box itself commits, as GitHub does; only the box can tell that the signature is good. */
export function signAsBox(box: Box): (payload: string) => string {
  const secret =
    secrets(box.store).find('secret') ?? secrets(box.store).put('secret', randomBytes(32).toString('hex'))
  return (payload) => {
    const proof = createHmac('sha256', secret).update(payload).digest('base64')
    return `-----BEGIN PGP SIGNATURE-----\n\n${proof}\n-----END PGP SIGNATURE-----`
  }
}

/** True for a commit that the box has signed; the keys of people are not known to it. */
export function isVerified(box: Box, { payload, signature }: FullCommit): boolean {
  return payload !== undefined && signature === signAsBox(box)(payload)
}
