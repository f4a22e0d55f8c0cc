/** A 32-bit hash of a text: FNV-1a from the given offset, with murmur3's finaliser. */
export function hashText(text: string, offset = 0x811c9dc5): number {
  let hash = offset
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) | 0
}
