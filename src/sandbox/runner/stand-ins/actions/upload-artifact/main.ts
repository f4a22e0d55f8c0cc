import { ArtifactNotFoundError, DefaultArtifactClient } from '@actions/artifact'
import * as core from '@actions/core'
import { findInput, runProgram } from '../../program.ts'
import { findFiles } from './find-files.ts'

const client = new DefaultArtifactClient()

runProgram(async () => {
  const name = core.getInput('name')
  const path = core.getInput('path', { required: true })
  const found = await findFiles(path, core.getBooleanInput('include-hidden-files'))
  if (found.files.length === 0) {
    tellOfNothing(path)
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

function tellOfNothing(path: string): void {
  const message = `No files were found with the path ${path.replaceAll('\n', ', ')}: nothing is uploaded.`
  const choice = core.getInput('if-no-files-found')
  if (choice === 'error') throw new Error(message)
  if (choice === 'warn') core.warning(message)
  else if (choice === 'ignore') core.info(message)
  else throw new Error('"if-no-files-found" must be warn, error or ignore.')
}

async function removeOld(name: string): Promise<void> {
  try {
    const { id } = await client.deleteArtifact(name)
    core.info(`The artifact ${id} of this name is deleted`)
  } catch (error) {
    if (!(error instanceof ArtifactNotFoundError)) throw error
  }
}

function runUrl(environment: Readonly<Record<string, string | undefined>>): string {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID } = environment
  return `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
}
