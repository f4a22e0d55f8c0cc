import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { detectProject } from '../../../config/detect/detect.ts'
import { renderStarterConfig } from '../../../config/detect/starter.ts'
import { CONFIG_FILE } from '../../../config/file/load.ts'
import { LoreleyError } from '../../../errors.ts'
import { listWorkFiles } from '../../../git/repository.ts'
import { withSession } from '../session.ts'

const TEMPLATES = fileURLToPath(new URL('../../../../workflows-templates', import.meta.url))
const WORKFLOW_FILE = '.github/workflows/loreley.yml'

export interface InitOptions {
  readonly force?: true
  /** Also writes the workflow. */
  readonly github?: 'hosted' | 'self-hosted' | 'container'
}

/** `loreley init`: a commented config that fits the repository. Existing files are kept. */
export async function init(repo: string, { force, github }: InitOptions): Promise<void> {
  await withSession(repo, async ({ folder, git }) => {
    const files = await listWorkFiles(git.repository)
    const readText = (path: string): Promise<string | undefined> =>
      readFile(join(folder, path), 'utf8').catch(() => undefined)
    const detected = await detectProject(files, readText)
    const wanted = new Map([[CONFIG_FILE, renderStarterConfig(detected)]])
    if (github) wanted.set(WORKFLOW_FILE, await readTemplate(github))
    const written: string[] = []
    for (const [path, text] of wanted) {
      if (await tryWrite(join(folder, path), text, force)) written.push(path)
    }
    if (written.length === 0) throw nothingToWrite([...wanted.keys()])
    console.log(`Wrote ${written.join(' and ')} (language: ${detected.language}).`)
    console.log(
      github
        ? 'Next: fill in the measuring command, merge both files, then put the label `loreley` on an issue.'
        : 'Next: fill in the measuring command, commit the file, then run `loreley run`.',
    )
  })
}

async function readTemplate(machine: NonNullable<InitOptions['github']>): Promise<string> {
  const name = machine === 'hosted' ? 'loreley.yml' : `loreley-${machine}.yml`
  return await readFile(join(TEMPLATES, name), 'utf8')
}

/** False when the file exists and may not be replaced. */
async function tryWrite(file: string, text: string, force: true | undefined): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true })
  try {
    await writeFile(file, text, { flag: force ? 'w' : 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function nothingToWrite(paths: readonly string[]): LoreleyError {
  const hint = 'Replace it with --force, or check the config with `loreley validate`.'
  return new LoreleyError('usage', `${paths.join(' and ')} already exists.`, hint)
}
