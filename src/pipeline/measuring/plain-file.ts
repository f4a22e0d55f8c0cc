import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * The first `maxBytes` of a file; undefined when it is not a plain file. It reads from one open file, because the size
 * may change meanwhile. It follows no link and never blocks on a pipe without a writer.
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
