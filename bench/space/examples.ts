import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MemoryRepository } from './repository.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url))
const SOURCE = /\.(?:js|mjs|ts|py)$/

/** The shipped examples, as repositories in memory; only their source files are changed. */
export async function readExamples(): Promise<{ name: string; repository: MemoryRepository }[]> {
  const folders = await readdir(EXAMPLES, { withFileTypes: true })
  const examples = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  return await Promise.all(examples.sort().map(readExample))
}

async function readExample(name: string): Promise<{ name: string; repository: MemoryRepository }> {
  const folder = join(EXAMPLES, name)
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = found
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes('node_modules'))
  const files = await Promise.all(
    paths.sort().map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const),
  )
  return { name, repository: new MemoryRepository(new Map(files)) }
}
