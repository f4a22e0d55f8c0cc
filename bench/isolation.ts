import { execFile } from 'node:child_process'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LoreleyError } from '../src/errors.ts'
import { createCommandEnvironment } from '../src/pipeline/measuring/command-environment.ts'
import { measureOnce } from '../src/pipeline/measuring/evaluate.ts'
import { type PreparedRoot, prepareRoot } from '../src/pipeline/workspace/prepared-root.ts'
import { findSharedRoot } from '../src/pipeline/workspace/shared-root.ts'
import { createWorkspace } from '../src/pipeline/workspace/workspace.ts'
import { findIsolation } from '../src/process/isolation/find-isolation.ts'
import type { Isolation } from '../src/process/isolation/isolation.ts'
import { runGroup } from '../src/process/run-group.ts'
import { type OpenGit, openGit } from '../src/store/open-git.ts'
import { type Bench, type BenchOptions, type BenchReport, median, rounded, timeMs } from './bench.ts'
import { parseOneCampaign } from './campaign-run.ts'
import { createSampleRepository, readRoot } from './sample-repository.ts'

/** What isolation costs. */
export const isolationBench: Bench = {
  about: 'time to start a program with loreley-candidate, and to run a command in the enclosure',
  run: runIsolation,
}

const spawned = promisify(execFile)

const { evaluation } = parseOneCampaign(
  'goal: Cost nothing.\nscope: { editable: [src/**] }\nobjectives: [{ metric: value, direction: maximize }]\nevaluation: { command: echo 1 }',
  'the isolation benchmark',
)

const KINDS = ['bare', 'candidate', 'open', 'enclosed', 'run', 'enclosedRun'] as const
type Kind = (typeof KINDS)[number]

interface Place {
  readonly options: BenchOptions
  readonly git: OpenGit
  readonly preparedRoot: PreparedRoot
  readonly isolation: Isolation
}

async function runIsolation(options: BenchOptions): Promise<BenchReport> {
  const rounds = options.quick ? 20 : 200
  await chmod(options.place, 0o755)
  const repository = join(options.place, 'repository')
  await mkdir(repository)
  await createSampleRepository(repository, options.gitEnvironment)
  const git = await openGit(repository, options.gitEnvironment)
  try {
    const place = {
      options,
      git,
      preparedRoot: await prepare(options, git),
      isolation: await findNamespaces(options),
    }
    const samples: Record<Kind, number[]> = {
      ...{ bare: [], candidate: [], open: [], enclosed: [], run: [], enclosedRun: [] },
    }
    const work = await createWork(place)
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const kind of KINDS) {
        const ms = await timeMs(() => work[kind]())
        if (round > 0) samples[kind].push(ms)
      }
    }
    return createReport(place.isolation, samples)
  } finally {
    await git.close()
  }
}

async function prepare(options: BenchOptions, git: OpenGit): Promise<PreparedRoot> {
  return await prepareRoot({
    repository: git.repository,
    objects: git.objects,
    folder: join(options.place, 'roots'),
    rootTree: (await readRoot(git)).tree,
    evaluation,
    path: options.path,
    passedEnvironment: {},
    owner: options.place,
    signal: new AbortController().signal,
  })
}

/** The isolation of candidates on this machine. */
export async function findNamespaces({ place, path }: BenchOptions): Promise<Isolation> {
  const search = await findIsolation({
    levels: ['namespace'],
    network: 'none',
    hidden: ['/tmp', '/var/tmp', '/dev/shm', place],
    readOnly: [],
    unprivileged: 'own-user',
    trialFolder: place,
    path,
  })
  if (search.status === 'found') return search.isolation
  const hint = 'Run the benchmark as root, or allow user namespaces.'
  throw new LoreleyError('isolation-unavailable', `There are no namespaces here: ${search.detail}`, hint)
}

/** The pieces to time: a program, a command, and a whole run, each without and with what isolates it. */
async function createWork(place: Place): Promise<Readonly<Record<Kind, () => Promise<unknown>>>> {
  const { options, preparedRoot, isolation } = place
  const { path } = options
  const workspace = await createPlainWorkspace(place, 'still', undefined)
  const { programs, trusted } = preparedRoot
  const env = createCommandEnvironment({ path, programs, trusted, workspace, passedEnvironment: {} })
  const started = (...argv: string[]) => spawned(argv[0] ?? '', argv.slice(1), { env, cwd: workspace.files })
  await isolation.give(workspace.folder)
  const command = (isEnclosed: boolean) =>
    runGroup({
      ...{ argv: ['/bin/true'], cwd: workspace.files, env, timeoutMs: 60_000, maxOutputBytes: 1000 },
      enclosure: isEnclosed ? { isolation, own: workspace.folder, readOnly: [trusted, programs] } : undefined,
    })
  return {
    bare: () => started('/bin/true'),
    candidate: () => started(join(programs, 'loreley-candidate'), '/bin/true'),
    open: () => command(false),
    enclosed: () => command(true),
    run: () => runWhole(place, undefined),
    enclosedRun: () => runWhole(place, isolation),
  }
}

/** A run as candidates get it: a fresh workspace, a command, and nothing left. */
async function runWhole(place: Place, isolation: Isolation | undefined): Promise<void> {
  const { options, preparedRoot } = place
  const workspace = await createPlainWorkspace(place, 'run', isolation)
  const outcome = await measureOnce(
    {
      workspace,
      trusted: preparedRoot.trusted,
      programs: preparedRoot.programs,
      evaluation,
      neededMetrics: ['value'],
      path: options.path,
      passedEnvironment: {},
      owner: options.place,
      signal: new AbortController().signal,
      isolation,
    },
    evaluation,
  )
  await workspace.remove()
  if (outcome.status !== 'measured')
    throw new RangeError(`isolation: a run failed: ${JSON.stringify(outcome)}`)
}

async function createPlainWorkspace(place: Place, name: string, isolation: Isolation | undefined) {
  const { options, git, preparedRoot } = place
  const { path, place: owner } = options
  return await createWorkspace({
    folder: join(owner, 'work', name),
    template: preparedRoot.template,
    shared: await findSharedRoot(preparedRoot, { absent: [], path, owner, isolation }),
    maxDiskBytes: evaluation.maxDiskBytes,
    changes: [],
    objects: git.objects,
    path,
    owner,
    isolation,
  })
}

function createReport({ user, sharesLayers }: Isolation, samples: Record<Kind, number[]>): BenchReport {
  const ms = (kind: Kind) => median(samples[kind])
  return {
    headline: {
      spawn_overhead_ms: rounded(ms('candidate') - ms('bare')),
      run_overhead_ratio: rounded(ms('enclosedRun') / ms('run')),
    },
    details: {
      user,
      shares_layers: sharesLayers,
      enclosure_overhead_ms: rounded(ms('enclosed') - ms('open')),
      rounds: samples.bare.length,
      median_ms: Object.fromEntries(KINDS.map((kind) => [kind, rounded(ms(kind))])),
    },
  }
}
