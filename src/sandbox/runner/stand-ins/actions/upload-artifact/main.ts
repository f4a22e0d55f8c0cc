import { stat } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { ArtifactNotFoundError, DefaultArtifactClient } from '@actions/artifact'
import * as core from '@actions/core'
import { create } from '@actions/glob'
import { findInput, runProgram } from '../../program.ts'

const client = new DefaultArtifactClient()

runProgram(async () => {
  const name = core.getInput('name')
  const path = core.getInput('path', { required: true })
  const found = await findFiles(path, core.getBooleanInput('include-hidden-files'))
  if (found.files.length === 0) {
    reportNothing(path)
    return
  }
  core.info(`${found.files.length} file(s) to upload, from ${found.root}`)
  if (core.getBooleanInput('overwrite')) await removeOld(name)
  const retention = findInput('retention-days')
  const made = await client.uploadArtifact(name, [...found.files], found.root, {
    compressionLevel: Number(core.getInput('compression-level')),
    skipArchive: !core.getBooleanInput('archive'),
    ...(retention === undefined ? {} : { retentionDays: Number(retention) }),
  })
  core.info(`Artifact ${name} has the id ${made.id} and ${made.size} bytes`)
  core.setOutput('artifact-id', made.id)
  core.setOutput('artifact-digest', made.digest)
  core.setOutput('artifact-url', `${runUrl(process.env)}/artifacts/${made.id}`)
})

function reportNothing(path: string): void {
  const message = `No files were found with the path ${path.replaceAll('\n', ', ')}. Nothing was uploaded.`
  const choice = core.getInput('if-no-files-found')
  if (choice === 'error') throw new Error(message)
  if (choice === 'warn') core.warning(message)
  else if (choice === 'ignore') core.info(message)
  else throw new Error('"if-no-files-found" must be warn, error or ignore.')
}

async function removeOld(name: string): Promise<void> {
  try {
    const { id } = await client.deleteArtifact(name)
    core.info(`Deleted the earlier artifact ${id}`)
  } catch (error) {
    if (!(error instanceof ArtifactNotFoundError)) throw error
  }
}

function runUrl(environment: Readonly<Record<string, string | undefined>>): string {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = environment
  return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
}

/** Files to upload. Their names in the artifact are relative to `root`. */
interface FoundFiles {
  readonly files: readonly string[]
  readonly root: string
}

/**
 * Finds the files of a path with GitHub's glob library. Names keep everything after the first wildcard or, for
 * several paths, after their common folder.
 */
async function findFiles(path: string, includeHidden: boolean): Promise<FoundFiles> {
  const globber = await create(path, {
    followSymbolicLinks: true,
    implicitDescendants: true,
    omitBrokenSymbolicLinks: true,
    excludeHiddenFiles: !includeHidden,
  })
  const files: string[] = []
  for (const found of await globber.glob()) if (!(await stat(found)).isDirectory()) files.push(found)
  const [first = '', ...others] = globber.getSearchPaths()
  if (others.length > 0) return { files, root: findCommonFolder([first, ...others]) }
  return { files, root: files.length === 1 && files[0] === first ? dirname(first) : first }
}

/** The deepest common folder of these paths. */
function findCommonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split(sep))
  const end = first.findIndex((part, index) => others.some((other) => other[index] !== part))
  const common = end === -1 ? first : first.slice(0, end)
  return common.join(sep) || sep
}
