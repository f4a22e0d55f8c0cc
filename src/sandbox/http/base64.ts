import { ApiError } from './errors.ts'

/** Base64 with line feeds, as GitHub takes it; anything else is refused. */
export function decodeBase64(text: string): Buffer {
  const plain = text.replace(/\s/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain) || plain.length % 4 === 1) {
    throw new ApiError(422, 'content is not valid Base64')
  }
  return Buffer.from(plain, 'base64')
}

/** Base64 in lines of 60 characters, each ended. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('base64')
    .replace(/.{1,60}/g, '$&\n')
}
