import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { detectProject } from '../../../config/detect.ts'
import { CONFIG_FILE } from '../../../config/load.ts'
import { renderStarterConfig } from '../../../config/starter.ts'
import { LoreleyError } from '../../../errors.ts'
import { listWorkFiles } from '../../../git/repository.ts'
import { withSession } from '../session.ts'

/** `loreley init`: a commented config that fits what is in the repository. */
export async function init(repo: string, { force }: { force?: true }): Promise<void> {
  await withSession(repo, async ({ folder, git }) => {
    const files = await listWorkFiles(git.repository)
    const readText = (path: string): Promise<string | undefined> =>
      readFile(join(folder, path), 'utf8').catch(() => undefined)
    const detected = await detectProject(files, readText)
    const target = join(folder, CONFIG_FILE)
    try {
      await writeFile(target, renderStarterConfig(detected), { flag: force ? 'w' : 'wx' })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      throw new LoreleyError(
        'usage',
        `${CONFIG_FILE} exists already.`,
        'Replace it with --force, or check it with `loreley validate`.',
      )
    }
    console.log(`Wrote ${CONFIG_FILE} (language: ${detected.language}).`)
    console.log('Next: put in the command that measures, commit it, then `loreley run`.')
  })
}
