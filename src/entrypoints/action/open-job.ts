import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { getExecOutput } from '@actions/exec'
import type { CampaignConfig } from '../../config/campaign-config.ts'
import { CONFIG_FILE } from '../../config/file/load.ts'
import { parseConfig } from '../../config/file/parse.ts'
import type { Job } from '../../core/campaign/job.ts'
import { LoreleyError } from '../../errors.ts'
import { createBorrowingRepository, fetchCommits } from '../../git/borrowed-repository.ts'
import { type GitCall, gitFailed, safeArguments } from '../../git/command.ts'
import { readCommit } from '../../git/objects/commits.ts'
import { findInTree } from '../../git/objects/trees.ts'
import { findCommit, findRef, openRepository } from '../../git/repository.ts'
import { type DispatchInputs, findCandidate } from '../../protocol/dispatch.ts'
import { STATE_REF } from '../../store/layout.ts'
import { type OpenGit, openGit } from '../../store/open-git.ts'
import type { Snapshot } from '../../store/state-store.ts'
import type { RunnerMachine } from './runner.ts'

/** Where the workflow checks out root, base, rival and state, relative to the workspace. */
const CHECKOUTS = ['.', '.loreley/base', '.loreley/rival', '.loreley/state']

const STATE_NOW_REF = 'refs/loreley/state-now'

/** A commit and its tree. */
export interface CommitRef {
  readonly commit: string
  readonly tree: string
}

/** Everything that the inputs refer to, read from the commits that the dispatch named. */
export interface OpenJob {
  readonly git: OpenGit
  readonly config: CampaignConfig
  readonly root: CommitRef
  readonly base: CommitRef
  /** This candidate's job on the state branch; undefined for `validate`. */
  readonly job: Job | undefined
  /** The campaign as it was when the job was dispatched; undefined for `validate`. */
  readonly snapshot: Snapshot | undefined
  /** The campaign as the state branch has it now. Only to see what was judged since, never for the job itself. */
  loadNow(): Promise<Snapshot | undefined>
}

/** Opens the objects of all checkouts as one repository. Fetches missing ones if there is a token. */
export async function openJob(
  machine: RunnerMachine,
  inputs: DispatchInputs,
  token: string,
): Promise<OpenJob> {
  const base = inputs.base || (await findHead(machine))
  const root = inputs.root || base
  const wanted = [base, root, inputs.state].filter((commit) => commit !== '')
  const git = await openObjects(machine)
  try {
    await fetchMissing(machine, git, wanted, token)
    return await readRequest(machine, inputs, { git, base, root, token })
  } catch (error) {
    // Open git processes would keep ours alive.
    await git.close()
    throw error
  }
}

interface Reading {
  readonly git: OpenGit
  readonly base: string
  readonly root: string
  readonly token: string
}

async function readRequest(
  machine: RunnerMachine,
  inputs: DispatchInputs,
  { git, base, root, token }: Reading,
): Promise<OpenJob> {
  const refs = { base: await refOf(git, base), root: await refOf(git, root) }
  if (inputs.kind === 'validate') {
    const config = await readConfig(git, refs.base, findCandidate(inputs.candidate)?.campaign)
    return { git, config, ...refs, job: undefined, snapshot: undefined, loadNow: async () => undefined }
  }
  const { snapshot, job } = await readState(git, inputs)
  await fetchInspirations(machine, git, job, token)
  const { id } = snapshot.state.campaign
  const loadNow = (): Promise<Snapshot | undefined> => loadState(machine, { git, token }, id)
  return { git, config: snapshot.config, ...refs, job, snapshot, loadNow }
}

async function openObjects({
  gitEnvironment: environment,
  workspace,
  folder,
}: RunnerMachine): Promise<OpenGit> {
  const objectFolders = CHECKOUTS.map((path) => join(workspace, path, '.git', 'objects')).filter(existsSync)
  const bare = join(folder, 'objects.git')
  await createBorrowingRepository(bare, objectFolders, environment)
  return await openGit(bare, environment)
}

async function fetchMissing(
  machine: RunnerMachine,
  git: OpenGit,
  commits: readonly string[],
  token: string,
): Promise<void> {
  const there = await Promise.all(commits.map((commit) => git.objects.find(commit)))
  const missing = commits.filter((_, index) => there[index] === undefined)
  // Without a token, a missing object becomes a fault when it is read.
  if (missing.length === 0 || token === '') return
  await fetchFrom(machine, { git, token }, [...new Set(missing)])
}

async function fetchFrom(
  { repositoryUrl: url }: RunnerMachine,
  { git, token }: Pick<Reading, 'git' | 'token'>,
  commits: readonly string[],
): Promise<void> {
  const authorization = `basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
  await fetchCommits(git.repository, { url, authorization, commits }, runLoggedGit)
}

// Use a second ref: our copy of the state branch stays where the dispatch put it.
async function loadState(
  machine: RunnerMachine,
  reading: Pick<Reading, 'git' | 'token'>,
  campaign: string,
): Promise<Snapshot | undefined> {
  if (reading.token === '') return undefined
  await fetchFrom(machine, reading, [`+${STATE_REF}:${STATE_NOW_REF}`])
  const head = await findRef(reading.git.repository, STATE_NOW_REF)
  return head === undefined ? undefined : await reading.git.store.loadAt(head, campaign)
}

async function fetchInspirations(
  machine: RunnerMachine,
  git: OpenGit,
  job: Job | undefined,
  token: string,
): Promise<void> {
  const commits = job?.inspirations.map(({ commit }) => commit) ?? []
  await fetchMissing(machine, git, commits, token)
}

async function findHead({ workspace, gitEnvironment }: RunnerMachine): Promise<string> {
  const head = await findCommit(await openRepository(workspace, gitEnvironment), 'HEAD')
  if (head !== undefined) return head
  throw new LoreleyError('repository-empty', 'There is no commit to validate.', 'Commit your files first.')
}

async function refOf(git: OpenGit, commit: string): Promise<CommitRef> {
  return { commit, tree: (await readCommit(git.objects, commit)).tree }
}

// Read the state branch at the dispatched SHA, not at its tip: the job must be the one that the App decided on.
async function readState(
  git: OpenGit,
  inputs: Exclude<DispatchInputs, { kind: 'validate' }>,
): Promise<{ readonly snapshot: Snapshot; readonly job: Job }> {
  const named = findCandidate(inputs.candidate)
  await git.refs.apply([{ ref: STATE_REF, to: inputs.state, from: 'any' }])
  const snapshot = named && (await git.store.load(named.campaign))
  if (named === undefined || snapshot === undefined)
    throw mismatch(`the state has no campaign of ${inputs.candidate}`)
  const { campaign, jobs } = snapshot.state
  if (campaign.root.commit !== inputs.root) throw mismatch("root is not the campaign's")
  const job = jobs.get(named.ordinal)
  if (job?.kind !== inputs.kind) throw mismatch(`the state has no open ${inputs.kind} ${inputs.candidate}`)
  if (job.parent.commit !== inputs.base) throw mismatch("base is not the job's parent")
  if (inputs.rival !== undefined && inputs.rival !== job.rival?.commit)
    throw mismatch("rival is not the job's opponent")
  return { snapshot, job }
}

async function readConfig(
  git: OpenGit,
  { tree }: CommitRef,
  campaign: string | undefined,
): Promise<CampaignConfig> {
  const entry = await findInTree(git.objects, tree, CONFIG_FILE)
  if (entry === undefined)
    throw new LoreleyError(
      'config-missing',
      `there is no ${CONFIG_FILE} here`,
      'Run `loreley init` to write one.',
    )
  const text = (await git.objects.get(entry.id, 'blob')).toString('utf8')
  const { campaigns } = parseConfig(text, CONFIG_FILE)
  const config = campaign === undefined ? [...campaigns.values()][0] : campaigns.get(campaign)
  if (config !== undefined) return config
  throw new LoreleyError(
    'campaign-unknown',
    `${CONFIG_FILE} has no campaign ${campaign ?? ''}.`,
    `It has: ${[...campaigns.keys()].join(', ')}.`,
  )
}

function mismatch(detail: string): LoreleyError {
  return new LoreleyError(
    'inputs-invalid',
    `The inputs do not match the state branch: ${detail}.`,
    'The run may be older than the campaign. A new candidate gets a new run.',
  )
}

/** Runs git and logs its command and output, so that readers see what the token was used for. */
async function runLoggedGit({ args, environment, cwd }: GitCall): Promise<void> {
  const { exitCode, stderr } = await getExecOutput('git', safeArguments(args), {
    env: { ...environment },
    ...(cwd === undefined ? {} : { cwd }),
    ignoreReturnCode: true,
  })
  if (exitCode !== 0) throw gitFailed(args, stderr)
}
