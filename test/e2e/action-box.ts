import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'
import { onTestFinished } from 'vitest'
import { parseConfig } from '../../src/config/file/parse.ts'
import type { Campaign, CampaignState } from '../../src/core/campaign/campaign.ts'
import type { Job } from '../../src/core/campaign/job.ts'
import type { DispatchInputs } from '../../src/protocol/dispatch.ts'
import { readProposal } from '../../src/protocol/proposal.ts'
import { type ResultDocument, readResult } from '../../src/protocol/result.ts'
import type { Snapshot } from '../../src/store/state-store.ts'
import { type PlayedRun, readRun } from '../sandbox/runner/runner-support.ts'
import { REPO, startTestBox, type TestBox, type TestBoxOptions } from '../sandbox/support.ts'
import { buildAction } from '../support/action/built-action.ts'
import { publishState } from '../support/published-state.ts'
import { gitEnvironment } from '../support/repository.ts'

const ROOT_FOLDER = join(import.meta.dirname, '../..')
/** The workflow that users copy. */
export const TEMPLATE = readFileSync(join(ROOT_FOLDER, 'workflows-templates/loreley.yml'), 'utf8')
const NONCE = '0123456789abcdef'
const run = promisify(execFile)

let built: string | undefined

/** The action's repository as the sources give it; built once a test file. */
export function builtAction(): string {
  built ??= buildAction(join(ROOT_FOLDER, 'dist/action'))
  return built
}

/** A campaign in a box with the real workflow template. */
export interface CampaignBox {
  readonly box: TestBox
  readonly root: Campaign['root']
  /** A clone of the repository, in which the state was made. */
  readonly clone: Clone
  /** What the state branch holds. */
  readonly snapshot: Snapshot
  readonly orders: DispatchInputs
  /** Dispatches the workflow and gives the run's id. */
  order(inputs: DispatchInputs): Promise<number>
}

/** The same, with the built action and a machine that executes runs. */
export interface ActionBox extends CampaignBox {
  dispatch(inputs?: Partial<DispatchInputs>): Promise<FinishedRun>
}

export interface FinishedRun {
  readonly run: PlayedRun
  readonly artifacts: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>
  /** Undefined when there is none that can be read. */
  readonly result: ResultDocument | undefined
  readonly log: string
}

export interface ActionBoxOptions {
  readonly files: Readonly<Record<string, string>>
  /** Changes the template, for attacks that need another workflow than ours. */
  readonly editTemplate?: (template: string) => string
  /** What the campaign waits for; a candidate unless told. */
  readonly kind?: Job['kind']
  /** What the root's runs gave, where numbers vary: candidates then take turns with it. */
  readonly rootRuns?: readonly number[]
  /** Makes the open jobs, instead of the campaign's own first one, in a clone of the repository. */
  readonly openJobs?: (clone: Clone) => Promise<readonly Job[]>
  /** Tells what has happened so far, with commits that are made in a clone of the repository. */
  readonly history?: (clone: Clone) => Promise<(start: CampaignState) => CampaignState>
}

export interface Clone {
  readonly folder: string
  readonly root: Campaign['root']
  git(...args: string[]): Promise<string>
}

/** Starts a box whose repository holds the given files, of which one is `.loreley.yml`, with an open job. */
export async function startActionBox(options: ActionBoxOptions): Promise<ActionBox> {
  const campaign = await startCampaignBox(options, {
    runner: { path: process.env.PATH ?? '' },
    settings: { actionFolders: { 'loreley-evolution/loreley': builtAction() } },
  })
  const { box, orders } = campaign
  const dispatch: ActionBox['dispatch'] = async (inputs = {}) => {
    const id = await campaign.order({ ...orders, ...inputs })
    await box.runner?.settled()
    return await readFinished(box, await readRun(box, id))
  }
  return { ...campaign, dispatch }
}

/** The same box without a machine: what is dispatched stays queued. */
export async function startCampaignBox(
  { files, editTemplate = (text) => text, kind = 'candidate', rootRuns, openJobs, history }: ActionBoxOptions,
  machine: Pick<TestBoxOptions, 'runner' | 'settings'> = {},
): Promise<CampaignBox> {
  const workflow = { '.github/workflows/loreley.yml': editTemplate(TEMPLATE) }
  const box = await startTestBox({ files: { ...files, ...workflow }, ...machine })
  const folder = mkdtempSync(join(tmpdir(), 'loreley-clone-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', args, { cwd: folder, env: gitEnvironment })).stdout.trim()
  const url = new URL(`${box.url}/acme/demo.git`)
  Object.assign(url, { username: 'x-access-token', password: box.token('olivia') })
  await git('clone', '-q', url.href, '.')
  const root = {
    commit: await git('rev-parse', 'HEAD'),
    tree: await git('rev-parse', 'HEAD^{tree}'),
    seconds: Number(await git('log', '-1', '--format=%ct')),
  }
  const config = [...parseConfig(files['.loreley.yml'] ?? '', '.loreley.yml').campaigns.values()][0]
  if (config === undefined) throw new Error('no campaign')
  const clone = { folder, root, git }
  const jobs = await openJobs?.(clone)
  const play = await history?.(clone)
  const snapshot = await publishState(folder, { config, root, kind, rootRuns, jobs, play })
  await git('push', '-q', 'origin', 'loreley/state', `HEAD:refs/heads/loreley/runner/${config.name}`)
  const orders: DispatchInputs = {
    kind,
    candidate: `${config.name}-000${kind === 'baseline' ? 0 : 1}`,
    state: await git('rev-parse', 'loreley/state'),
    root: root.commit,
    base: root.commit,
    nonce: NONCE,
  }
  const order: CampaignBox['order'] = (inputs) => dispatchOn(box, `loreley/runner/${config.name}`, inputs)
  return { box, root, clone, snapshot, orders, order }
}

// The branch that the App dispatches on: the only one that may use the environment with the key.
async function dispatchOn(box: TestBox, ref: string, inputs: DispatchInputs): Promise<number> {
  const made = await box
    .as('wendy')
    .request('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
      ...REPO,
      workflow_id: 'loreley.yml',
      ref,
      inputs: { ...inputs },
      return_run_details: true,
    })
  return Number(made.data.workflow_run_id)
}

/** What a run has left. */
export async function readFinished(box: TestBox, played: PlayedRun): Promise<FinishedRun> {
  const { actions } = box.as('wendy').rest
  const listed = await actions.listWorkflowRunArtifacts({ ...REPO, run_id: played.id })
  const artifacts = new Map<string, ReadonlyMap<string, Uint8Array>>()
  for (const { id, name } of listed.data.artifacts) {
    const zip = await actions.downloadArtifact({ ...REPO, artifact_id: id, archive_format: 'zip' })
    if (!(zip.data instanceof ArrayBuffer)) throw new Error('the artifact is no zip')
    artifacts.set(name, new Map(Object.entries(unzipSync(new Uint8Array(zip.data)))))
  }
  const bytes = artifacts.get('result')?.get('result.json')
  const reading = bytes && readResult(bytes)
  return {
    run: played,
    artifacts,
    result: reading?.status === 'read' ? reading.document : undefined,
    log: played.jobs.map(({ log }) => log).join('\n'),
  }
}

/** The proposal of a run, as the App would read it. */
export function proposalOf({ artifacts }: FinishedRun) {
  const reading = readProposal(artifacts.get('proposal')?.get('proposal.json') ?? new Uint8Array())
  if (reading.status === 'unreadable') throw new Error(reading.detail)
  return reading.document
}
