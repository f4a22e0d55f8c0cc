import { mkdir } from 'node:fs/promises'
import type { CampaignConfig } from '../config/campaign-config.ts'
import { digestEmbedder } from '../config/embedder-identity.ts'
import { findFixedChanges } from '../config/fixed-changes.ts'
import { mostUsage } from '../config/most-usage.ts'
import type { CampaignState } from '../core/campaign/campaign.ts'
import { createCampaign } from '../core/campaign/start.ts'
import { LoreleyError } from '../errors.ts'
import { readCommit } from '../git/objects/commits.ts'
import { inspectRefs } from '../git/refs.ts'
import { findCommit } from '../git/repository.ts'
import { digestEvaluator } from '../guard/evaluator/evaluator-digest.ts'
import { usedIsolation } from '../pipeline/job-context.ts'
import { removeFolder } from '../process/disk/remove-folder.ts'
import type { Isolation } from '../process/isolation/isolation.ts'
import { killOwned } from '../process/kill.ts'
import { renderPages } from '../reports/campaign/pages.ts'
import { renderEpoch } from '../reports/campaign/status-line.ts'
import { CampaignLoop, type Host, type Step } from '../store/campaign-loop.ts'
import { STATE_REF } from '../store/layout.ts'
import type { OpenGit } from '../store/open-git.ts'
import type { Snapshot } from '../store/state-store.ts'
import { Transcripts } from '../store/transcripts.ts'
import type { LocalFolders } from './local-folders.ts'
import { createLocalHost } from './local-host.ts'
import { isolateLocally, type LocalMachine, renderUnisolated } from './local-isolation.ts'
import { acquireLock } from './lock.ts'
import { runJob } from './run-job.ts'
import { idOf, type LocalRunRequest } from './run-request.ts'
import { Workers } from './workers.ts'

/** Runs a campaign on this machine until it stops, or resumes one. Returns its last state. */
export async function runLocally(request: LocalRunRequest): Promise<Snapshot> {
  const { folders, config } = request
  const id = idOf(request)
  const lock = await acquireLock(folders.lock, id)
  try {
    await assertStateIsFree(request.git)
    await removeLeftovers(folders)
    const existing = await request.git.store.load(id)
    if (existing !== undefined) assertCanCarryOn(existing.config, config)
    const root = existing?.state.campaign.root ?? (await readRoot(request.git))
    const { isolation, ...kept } = await isolateLocally(machineOf(request), config.evaluation)
    if (kept.status === 'none' && kept.reason !== undefined)
      request.reporter.warned(renderUnisolated(kept.reason))
    if (isolation?.lacks) request.reporter.warned(isolation.lacks)
    const drive = await prepare(request, root, isolation)
    const loop = existing ? CampaignLoop.open(drive.host, existing) : await begin(request, drive, root)
    request.reporter.started(loop.snapshot, existing === undefined, usedIsolation(isolation))
    const last = await driveToEnd(request, drive, loop)
    assertBaseline(last, isolation !== undefined)
    return last
  } finally {
    await removeFolder(folders.workspaces)
    await lock.release()
  }
}

function machineOf({ git, folders, home, path }: LocalRunRequest): LocalMachine {
  return { repository: git.repository, folders, trialFolder: folders.workspaces, home, path }
}

async function assertStateIsFree({ repository }: OpenGit): Promise<void> {
  const folder = (await inspectRefs(repository, [STATE_REF])).get(STATE_REF)?.checkedOutIn
  if (folder === undefined) return
  throw new LoreleyError(
    'state-conflict',
    `The branch loreley/state is checked out in ${folder}.`,
    'Switch to another branch there; read the state with `git show loreley/state:README.md`.',
  )
}

// A killed run leaves folders behind, and processes that still measure.
async function removeLeftovers(folders: LocalFolders): Promise<void> {
  await killOwned(folders.workspaces)
  await removeFolder(folders.workspaces)
  await mkdir(folders.workspaces, { recursive: true })
}

async function readRoot(git: OpenGit): Promise<CampaignState['campaign']['root']> {
  const commit = await findCommit(git.repository, 'HEAD')
  if (commit === undefined) {
    throw new LoreleyError(
      'repository-empty',
      'The repository has no commit to start from.',
      'Commit your files first.',
    )
  }
  const { tree, committerSeconds } = await readCommit(git.objects, commit)
  return { commit, tree, seconds: committerSeconds }
}

async function begin(
  request: LocalRunRequest,
  { host, evaluator }: Drive,
  root: CampaignState['campaign']['root'],
): Promise<CampaignLoop> {
  const { config } = request
  const state = createCampaign({
    id: idOf(request),
    config,
    order: 'ordinal',
    root,
    reserved: mostUsage(config),
    evaluator,
    embedder: digestEmbedder(config),
  })
  return await CampaignLoop.start(host, { state, config })
}

interface Drive {
  /** The evaluator digest. */
  readonly evaluator: string
  readonly host: Host
  readonly workers: Workers
  readonly loop: { current: CampaignLoop | undefined }
  readonly transcripts: Transcripts
}

async function prepare(
  request: LocalRunRequest,
  root: CampaignState['campaign']['root'],
  isolation: Isolation | undefined,
): Promise<Drive> {
  const { git, config } = request
  const loop: Drive['loop'] = { current: undefined }
  const transcripts = new Transcripts()
  const current = () => loop.current?.snapshot
  const tools = await createLocalHost(request, root, { current, transcripts, isolation })
  const workers = new Workers((job, signal) => runJob(tools, job, signal), request.parallel)
  const host: Host = {
    store: git.store,
    now: () => new Date(),
    jitter: () => Math.random(),
    renderPages: (state) => new Map([...renderPages(state), ...transcripts.render()]),
    perform: async (effect) => {
      if (effect.type === 'dispatch') workers.dispatch(effect.job)
    },
  }
  return {
    evaluator: await digestEvaluator(config, tools.context.preparedRoot.rootFiles, async (blob) =>
      (await git.objects.get(blob, 'blob')).toString('utf8'),
    ),
    host,
    workers,
    loop,
    transcripts,
  }
}

// The config may have changed since the campaign last ran, and the evaluator with it.
async function resume(request: LocalRunRequest, { evaluator }: Drive, loop: CampaignLoop): Promise<Step> {
  const { config, reporter, acceptNoise } = request
  const { epoch } = loop.snapshot.state.campaign
  const resumed = { type: 'resumed', limits: config.limits, takeOver: true } as const
  const event = acceptNoise === true ? { ...resumed, acceptNoise } : resumed
  const embedder = digestEmbedder(config)
  const step = await loop.step([event], { config, evaluator, embedder, reserved: mostUsage(config) })
  const { state } = step.snapshot
  if (state.campaign.epoch !== epoch) reporter.warned(renderEpoch(state))
  return step
}

async function driveToEnd(request: LocalRunRequest, drive: Drive, loop: CampaignLoop): Promise<Snapshot> {
  const { reporter, signal } = request
  const { workers, transcripts } = drive
  drive.loop.current = loop
  if (signal.aborted) return loop.snapshot
  const stop = (): void => void workers.stop()
  signal.addEventListener('abort', stop)
  try {
    let step = await resume(request, drive, loop)
    const warned = new Set<string>()
    for (;;) {
      for (const { ref, detail } of step.unpublished) {
        if (!warned.has(ref)) reporter.warned(`${ref} was not published: ${detail}`)
        warned.add(ref)
      }
      for (const entry of step.entries) reporter.finished(entry, step.snapshot.state)
      const events = await workers.take()
      if (events.length === 0 || signal.aborted) return loop.snapshot
      step = await loop.step(events)
      transcripts.committed()
    }
  } finally {
    signal.removeEventListener('abort', stop)
    await workers.stop()
  }
}

/** Throws when the config changed in a way that needs a new campaign. */
export function assertCanCarryOn(stored: CampaignConfig, wanted: CampaignConfig): void {
  const changed = findFixedChanges(stored, wanted)
  if (changed.length === 0) return
  throw new LoreleyError(
    'campaign-changed',
    `The campaign ${stored.name} was started with a different ${changed.join(', ')}.`,
    'Restore the old values, or start a new campaign: give it another name under `campaigns:`, or remove this one with `loreley clean --all`.',
  )
}

/** Throws when the run ended before the search began, because of the root's measurement. */
function assertBaseline({ state }: Snapshot, isIsolated: boolean): void {
  const { status } = state.campaign
  if (status.phase === 'paused' && status.reason === 'too-noisy')
    throw new LoreleyError(
      'evaluator-too-noisy',
      `Nothing was spent on the search yet: ${status.detail}.`,
      'Make the evaluation steadier, raise evaluation.sampling.max_pairs, or raise evaluation.sampling.smallest_gain. To continue anyway: `loreley run --accept-noise`.',
    )
  if (status.phase !== 'paused' || status.reason !== 'baseline-invalid') return
  // A command that works by hand may need something that candidate code cannot see.
  const apart =
    ' Loreley isolates it from your files and the network: see evaluation.network, evaluation.environment and evaluation.isolation.'
  throw new LoreleyError(
    'evaluator-baseline-invalid',
    `The root itself cannot be measured: ${status.detail}`,
    `Run the evaluation by hand in a fresh clone.${isIsolated ? apart : ''} Once it works there, run \`loreley run\` again.`,
  )
}
