import { rm } from 'node:fs/promises'
import { tryProgram } from '../try-program.ts'

/**
 * Removes a folder of our own user with everything that candidate code left there. Folders without permissions are opened
 * first, or one of them would stay for ever.
 */
export async function removeFolder(folder: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 5 }
  try {
    await rm(folder, options)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EACCES' && code !== 'EPERM') throw error
    await tryProgram(['/bin/chmod', '-R', 'u+rwX', folder], {})
    await rm(folder, options)
  }
}
