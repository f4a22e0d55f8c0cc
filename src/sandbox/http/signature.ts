import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Box } from '../box.ts'

// One secret for as long as the process lives: what it signs is short-lived.
const secret = randomBytes(32)

/** A signature that only this process can make. */
export function sign(text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}

export function isSignature(given: string, text: string): boolean {
  const right = Buffer.from(sign(text))
  const bytes = Buffer.from(given)
  return bytes.length === right.length && timingSafeEqual(bytes, right)
}

/** A link that needs no token: whoever has it may use it for a while. */
export function signLink(box: Box, path: string, lifeMs: number): string {
  const expires = box.now().getTime() + lifeMs
  // `sig`, as Azure names it: GitHub's own clients mask it in logs by this name.
  return `${box.url}${path}?expires=${expires}&sig=${sign(`${path} ${expires}`)}`
}

/** True for a link that the box has signed and that has not expired. */
export function isSignedLink(box: Box, url: URL): boolean {
  const expires = Number(url.searchParams.get('expires'))
  const given = url.searchParams.get('sig') ?? ''
  return isSignature(given, `${url.pathname} ${expires}`) && box.now().getTime() < expires
}
