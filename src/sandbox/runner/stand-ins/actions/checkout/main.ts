import { relative, resolve } from 'node:path'
import * as core from '@actions/core'
import { createGitEnvironment } from '../../../../../git/command.ts'
import { findInput, refuseInput, runProgram } from '../../program.ts'
import { type CheckoutOptions, checkOut, prepareFolder } from './check-out.ts'
import { addCredentials, basicHeader, removeCredentials } from './credentials.ts'

runProgram(async () => {
  refuseInput('ssh-key')
  refuseInput('lfs', ['false'])
  refuseInput('submodules', ['false'])
  const options = readOptions(process.env)
  const environment = createGitEnvironment(process.env)
  const workTree = { folder: options.folder, environment }
  await prepareFolder(workTree, { url: options.url, clean: core.getBooleanInput('clean') })
  const header = basicHeader(core.getInput('token', { required: true }))
  core.setSecret(header)
  core.saveState('folder', options.folder)
  core.saveState('server', options.server)
  await addCredentials(workTree, { server: options.server, header })
  try {
    const commit = await checkOut(workTree, options)
    core.info(`HEAD is now at ${commit}`)
    core.setOutput('commit', commit)
    core.setOutput('ref', options.ref)
  } catch (error) {
    await removeCredentials(workTree, options.server)
    throw error
  }
  if (!core.getBooleanInput('persist-credentials')) await removeCredentials(workTree, options.server)
})

function readOptions(environment: Readonly<Record<string, string | undefined>>): CheckoutOptions {
  const repository = core.getInput('repository')
  if (!/^[^/\s]+\/[^/\s]+$/.test(repository))
    throw new Error(`"repository: ${repository}" is not owner/name.`)
  const workspace = environment.GITHUB_WORKSPACE ?? process.cwd()
  const folder = resolve(workspace, core.getInput('path'))
  if (relative(workspace, folder).startsWith('..')) throw new Error(`${folder} is outside ${workspace}.`)
  const isOwn = repository.toLowerCase() === environment.GITHUB_REPOSITORY?.toLowerCase()
  const ref = findInput('ref')
  const server = core.getInput('github-server-url').replace(/\/$/, '')
  const depth = Number(core.getInput('fetch-depth'))
  if (!Number.isInteger(depth) || depth < 0) throw new Error('"fetch-depth" must be 0 or more.')
  const sparse = core.getMultilineInput('sparse-checkout')
  return {
    folder,
    server,
    url: `${server}/${repository}`,
    ref: ref ?? (isOwn ? (environment.GITHUB_REF ?? '') : ''),
    commit: ref === undefined && isOwn ? environment.GITHUB_SHA : undefined,
    depth,
    tags: core.getBooleanInput('fetch-tags'),
    // A sparse checkout does not need other files.
    filter: findInput('filter') ?? (sparse.length > 0 ? 'blob:none' : undefined),
    sparse,
    cone: core.getBooleanInput('sparse-checkout-cone-mode'),
  }
}
