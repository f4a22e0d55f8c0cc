import { ApiError } from './errors.ts'

/** Decodes Base64 with optional line feeds, as GitHub does. Refuses anything else. */
export function decodeBase64(text: string): Buffer {
  const plain = text.replace(/\s/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain) || plain.length % 4 === 1) {
    throw new ApiError(422, 'content is not valid Base64')
  }
  return Buffer.from(plain, 'base64')
}

/** Encodes Base64 in lines of 60 characters. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('base64')
    .replace(/.{1,60}/g, '$&\n')
}
