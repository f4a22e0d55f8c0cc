// Writes the files that are made from the code: `node --import tsx scripts/generate.ts [--check]`.
// With --check nothing is written, and a stale file is named and ends the run with exit code 1.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { FILE_JSON_SCHEMA } from '../src/config/file/json-schema.ts'
import { renderConfigReference } from './config-reference.ts'
import { renderContainer, renderSelfHosted } from './workflow-variants.ts'

/** Every generated file, by its path from the repository's root. */
const GENERATED: Readonly<Record<string, () => string>> = {
  'schema/loreley.schema.json': () => `${JSON.stringify(FILE_JSON_SCHEMA, null, 2)}\n`,
  'docs/reference/config.md': renderConfigReference,
  'workflows-templates/loreley-container.yml': renderContainer,
  'workflows-templates/loreley-self-hosted.yml': renderSelfHosted,
}

/** The generated files that differ from what the code would write now. */
export async function findStale(root: string): Promise<readonly string[]> {
  const stale: string[] = []
  for (const [path, render] of Object.entries(GENERATED)) {
    const current = await readFile(join(root, path), 'utf8').catch(() => undefined)
    if (current !== render()) stale.push(path)
  }
  return stale
}

async function main(args: readonly string[]): Promise<void> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const stale = await findStale(root)
  if (args.includes('--check')) {
    for (const path of stale) console.error(`${path} is stale: run npm run generate`)
    process.exitCode = stale.length === 0 ? 0 : 1
    return
  }
  for (const path of stale) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), GENERATED[path]?.() ?? '')
    console.log(`wrote ${path}`)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2))
