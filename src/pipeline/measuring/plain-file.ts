import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * The beginning of a file, at most so many bytes; undefined when it is no plain file. Bounded, from one open file: its
 * size may change while we look. No links, and opening does not block: a pipe without a writer would hold us for ever.
 */
export async function readPlainFile(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const opened = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    if (!(await opened.stat()).isFile()) return undefined
    const buffer = Buffer.alloc(maxBytes)
    const { bytesRead } = await opened.read(buffer, 0, buffer.length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await opened.close()
  }
}
