import { mkdir, rm } from 'node:fs/promises'
import { digestEmbedder } from '../config/embedder-identity.ts'
import { mostUsage } from '../config/most-usage.ts'
import type { CampaignState } from '../core/campaign/campaign.ts'
import { createCampaign } from '../core/campaign/start.ts'
import { LoreleyError } from '../errors.ts'
import { readCommit } from '../git/objects/commits.ts'
import { listCheckedOut } from '../git/refs.ts'
import { findCommit } from '../git/repository.ts'
import { digestEvaluator } from '../guard/evaluator/evaluator-digest.ts'
import { CampaignLoop, type Host, type Step } from '../host/loop.ts'
import { usedIsolation } from '../pipeline/used-isolation.ts'
import type { Isolation } from '../process/isolation/isolation.ts'
import { killOwned } from '../process/kill.ts'
import { renderPages } from '../reports/campaign/pages.ts'
import { renderEpoch } from '../reports/campaign/status-line.ts'
import { STATE_REF } from '../store/layout.ts'
import type { OpenGit } from '../store/open-git.ts'
import type { Snapshot } from '../store/state-store.ts'
import { Transcripts } from '../store/transcripts.ts'
import { assertBaseline } from './baseline-fault.ts'
import { assertCanCarryOn } from './carry-on.ts'
import { isolateLocally, type LocalMachine, renderUnisolated } from './local-isolation.ts'
import { acquireLock } from './lock.ts'
import type { Places } from './places.ts'
import { runJob } from './run-job.ts'
import { idOf, type LocalRunOrder } from './run-order.ts'
import { createTools } from './tools.ts'
import { Workers } from './workers.ts'

/** Runs a campaign on this machine until it stops, or carries on one that was begun. Gives its last state. */
export async function runLocally(order: LocalRunOrder): Promise<Snapshot> {
  const { places, config } = order
  const id = idOf(order)
  const lock = await acquireLock(places.lock, id)
  try {
    await assertStateIsFree(order.git)
    await removeLeftovers(places)
    const existing = await order.git.store.load(id)
    if (existing !== undefined) assertCanCarryOn(existing.config, config)
    const root = existing?.state.campaign.root ?? (await readRoot(order.git))
    const { isolation, ...kept } = await isolateLocally(machineOf(order), config.evaluation)
    if (kept.status === 'none' && kept.reason !== undefined)
      order.reporter.warned(renderUnisolated(kept.reason))
    if (isolation?.lacks) order.reporter.warned(isolation.lacks)
    const drive = await prepare(order, root, isolation)
    const loop = existing ? CampaignLoop.open(drive.host, existing) : await begin(order, drive, root)
    order.reporter.started(loop.snapshot, existing === undefined, usedIsolation(isolation))
    const last = await driveToEnd(order, drive, loop)
    assertBaseline(last, isolation !== undefined)
    return last
  } finally {
    await rm(places.work, { recursive: true, force: true, maxRetries: 5 })
    await lock.release()
  }
}

function machineOf({ git, places, home, path }: LocalRunOrder): LocalMachine {
  return { repository: git.repository, places, trialPlace: places.work, home, path }
}

async function assertStateIsFree({ repository }: OpenGit): Promise<void> {
  const folder = (await listCheckedOut(repository, STATE_REF)).get(STATE_REF)
  if (folder === undefined) return
  throw new LoreleyError(
    'state-conflict',
    `The branch loreley/state is checked out in ${folder}.`,
    'Switch to another branch there; read the state with `git show loreley/state:README.md`.',
  )
}

// A run that was killed leaves folders, and processes that go on measuring for nobody.
async function removeLeftovers(places: Places): Promise<void> {
  await killOwned(places.work)
  await rm(places.work, { recursive: true, force: true, maxRetries: 5 })
  await mkdir(places.work, { recursive: true })
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
  order: LocalRunOrder,
  { host, evaluator }: Drive,
  root: CampaignState['campaign']['root'],
): Promise<CampaignLoop> {
  const { config } = order
  const state = createCampaign({
    id: idOf(order),
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
  /** The digest of what measures. */
  readonly evaluator: string
  readonly host: Host
  readonly workers: Workers
  readonly loop: { current: CampaignLoop | undefined }
  readonly transcripts: Transcripts
}

async function prepare(
  order: LocalRunOrder,
  root: CampaignState['campaign']['root'],
  isolation: Isolation | undefined,
): Promise<Drive> {
  const { git, config } = order
  const loop: Drive['loop'] = { current: undefined }
  const transcripts = new Transcripts()
  const current = () => loop.current?.snapshot
  const tools = await createTools(order, root, { current, transcripts, isolation })
  const workers = new Workers((job, signal) => runJob(tools, job, signal), order.parallel)
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
    evaluator: await digestEvaluator(config, tools.setting.workshop.rootFiles, async (blob) =>
      (await git.objects.get(blob, 'blob')).toString('utf8'),
    ),
    host,
    workers,
    loop,
    transcripts,
  }
}

// With the config of now, which may measure with something else than the campaign did so far.
async function resume(order: LocalRunOrder, { evaluator }: Drive, loop: CampaignLoop): Promise<Step> {
  const { config, reporter, acceptNoise } = order
  const { epoch } = loop.snapshot.state.campaign
  const resumed = { type: 'resumed', limits: config.limits, takeOver: true } as const
  const event = acceptNoise === true ? { ...resumed, acceptNoise } : resumed
  const embedder = digestEmbedder(config)
  const step = await loop.step([event], { config, evaluator, embedder, reserved: mostUsage(config) })
  const { state } = step.snapshot
  if (state.campaign.epoch !== epoch) reporter.warned(renderEpoch(state))
  return step
}

async function driveToEnd(order: LocalRunOrder, drive: Drive, loop: CampaignLoop): Promise<Snapshot> {
  const { reporter, signal } = order
  const { workers, transcripts } = drive
  drive.loop.current = loop
  if (signal.aborted) return loop.snapshot
  const stop = (): void => void workers.stop()
  signal.addEventListener('abort', stop)
  try {
    let step = await resume(order, drive, loop)
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
