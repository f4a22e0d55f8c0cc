import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseDocument } from 'yaml'
import { CONFIG_FILE } from '../../../config/file/load.ts'
import type { Policy } from '../../../core/campaign/engine-config.ts'

/** The folder of this package, with the examples, the workflow template and the built action. */
export const PACKAGE = fileURLToPath(new URL('../../../..', import.meta.url))

export interface ExampleOptions {
  readonly candidates: number
  readonly parallel: number
  readonly seed: number
  readonly policy?: Policy | undefined
  /** Why candidate code cannot be isolated on this machine; undefined when it can. */
  readonly withoutIsolation?: string | undefined
}

/** What a maintainer would commit: an example with its config, and the workflow template. */
export async function loadExample(name: string, options: ExampleOptions): Promise<Record<string, string>> {
  const files = await readFolder(join(PACKAGE, 'examples', name))
  return {
    ...files,
    [CONFIG_FILE]: adaptConfig(files[CONFIG_FILE] ?? '', options),
    '.github/workflows/loreley.yml': await readFile(join(PACKAGE, 'workflows-templates/loreley.yml'), 'utf8'),
  }
}

// Edits the document, not its values: people read the file's comments in the sandbox.
function adaptConfig(text: string, { candidates, parallel, seed, policy, withoutIsolation }: ExampleOptions) {
  const config = parseDocument(text)
  config.setIn(['search', 'seed'], seed)
  if (policy !== undefined) config.setIn(['search', 'policy'], policy)
  config.setIn(['limits', 'candidates'], candidates)
  config.setIn(['limits', 'parallel'], parallel)
  if (withoutIsolation !== undefined) {
    const accepted = config.createNode('none')
    accepted.comment = ` Candidate code runs as your own user: ${withoutIsolation.replaceAll(/\s+/g, ' ')}`
    config.setIn(['evaluation', 'isolation'], accepted)
  }
  return config.toString({ lineWidth: 0 })
}

async function readFolder(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const texts = files.map(async (file) => [relative(folder, file), await readFile(file, 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}
