import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Artifact, DefaultArtifactClient, type FindOptions } from '@actions/artifact'
import * as core from '@actions/core'
import picomatch from 'picomatch'
import { findInput, runProgram } from '../../program.ts'

const client = new DefaultArtifactClient()
const REPORTS = { ignore: core.debug, info: core.info, warn: core.warning, error: core.error }

runProgram(async () => {
  const choice = readChoice()
  const folder = resolve((findInput('path') ?? workspace(process.env)).replace(/^~/, homedir()))
  const where = readFindOptions()
  const { artifacts } = await client.listArtifacts({ latest: choice.kind !== 'ids', ...where })
  const chosen = chooseArtifacts(artifacts, choice)
  // A single artifact, by name or id, needs no folder of its own.
  const isFlat = choice.kind === 'name' || (choice.kind === 'ids' && chosen.length === 1)
  const merge = isFlat || core.getBooleanInput('merge-multiple')
  for (const artifact of chosen) {
    await download(artifact, { path: merge ? folder : join(folder, artifact.name), where })
  }
  core.info(`${chosen.length} artifact(s) downloaded to ${folder}`)
  core.setOutput('download-path', folder)
})

function readChoice(): Choice {
  const name = findInput('name')
  const ids = findInput('artifact-ids')
  const pattern = findInput('pattern')
  if (name !== undefined && ids !== undefined) throw new Error('Give "name" or "artifact-ids", not both.')
  if (name !== undefined) return { kind: 'name', name }
  if (ids !== undefined)
    return {
      kind: 'ids',
      ids: ids
        .split(',')
        .map((id) => id.trim())
        .filter(Boolean),
    }
  return pattern === undefined ? { kind: 'all' } : { kind: 'pattern', pattern }
}

function readFindOptions(): FindOptions {
  const token = findInput('github-token')
  if (token === undefined) return {}
  const [repositoryOwner, repositoryName, ...rest] = core.getInput('repository').split('/')
  if (!repositoryOwner || !repositoryName || rest.length > 0)
    throw new Error('"repository" is not owner/name.')
  const workflowRunId = Number(core.getInput('run-id'))
  return { findBy: { token, workflowRunId, repositoryOwner, repositoryName } }
}

async function download(
  artifact: Artifact,
  { path, where }: { readonly path: string; readonly where: FindOptions },
): Promise<void> {
  core.info(`Downloading ${artifact.name} (id ${artifact.id}, ${artifact.size} bytes) to ${path}`)
  const { digestMismatch } = await client.downloadArtifact(artifact.id, {
    ...where,
    path,
    skipDecompress: core.getBooleanInput('skip-decompress'),
    ...(artifact.digest === undefined ? {} : { expectedHash: artifact.digest }),
  })
  if (!digestMismatch) return
  const message = `The digest of ${artifact.name} does not match the uploaded one.`
  const severity = core.getInput('digest-mismatch')
  if (severity === 'error') throw new Error(message)
  if (severity !== 'ignore' && severity !== 'info' && severity !== 'warn') {
    throw new Error('"digest-mismatch" must be ignore, info, warn or error.')
  }
  REPORTS[severity](message)
}

function workspace(environment: Readonly<Record<string, string | undefined>>): string {
  return environment.GITHUB_WORKSPACE ?? process.cwd()
}

/** Which artifacts of a run are wanted. */
type Choice =
  | { readonly kind: 'all' }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | { readonly kind: 'pattern'; readonly pattern: string }

interface Named {
  readonly id: number
  readonly name: string
}

/** Selects artifacts. Throws when one was requested by name or id and is missing. */
function chooseArtifacts<Item extends Named>(all: readonly Item[], choice: Choice): readonly Item[] {
  switch (choice.kind) {
    case 'all':
      return all
    case 'name':
      return [all.find(({ name }) => name === choice.name) ?? missing(choice.name)]
    case 'ids':
      return choice.ids.map((wanted) => all.find(({ id }) => String(id) === wanted) ?? missing(wanted))
    case 'pattern': {
      const isMatch = picomatch(choice.pattern)
      return all.filter(({ name }) => isMatch(name))
    }
  }
}

function missing(wanted: string): never {
  throw new Error(`The run has no artifact "${wanted}", or it has expired.`)
}
