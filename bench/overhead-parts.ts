import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CampaignConfig } from '../src/config/campaign-config.ts'
import { diffTrees } from '../src/git/listing.ts'
import { writeCommit } from '../src/git/objects/commits.ts'
import { writeTreeOf } from '../src/git/staging.ts'
import { measureOnce } from '../src/pipeline/measuring/evaluate.ts'
import { type PreparedRoot, prepareRoot } from '../src/pipeline/workspace/prepared-root.ts'
import { findSharedRoot } from '../src/pipeline/workspace/shared-root.ts'
import { createWorkspace } from '../src/pipeline/workspace/workspace.ts'
import type { Isolation } from '../src/process/isolation/isolation.ts'
import { LOCAL_IDENTITY } from '../src/store/local-store.ts'
import type { OpenGit } from '../src/store/open-git.ts'
import { type BenchOptions, median, rounded } from './bench.ts'
import { findNamespaces } from './isolation.ts'
import { readRoot } from './sample-repository.ts'

/** One piece of a candidate's work: how often a candidate needs it, and what it costs. */
export interface Part {
  readonly part: string
  readonly times: number
  readonly ms_each: number
  readonly ms_per_candidate: number
}

// How often one candidate does each: a copy of the root for the agent, and a workspace over the shared root for the
// evaluator; the change from the parent, which is mostly the root.
const TIMES = {
  'copy the root into a workspace': 1,
  'stage and write the tree': 1,
  'diff two trees': 1,
  'make a workspace over the shared root': 1,
  'run the evaluator, isolated': 1,
  'commit and keep the candidate': 1,
  'remove a workspace': 2,
} as const

type PartName = keyof typeof TIMES

/** Times the pieces of a candidate one by one, in the order in which a candidate does them. */
export class PartTimer {
  readonly #bench: PartBench
  readonly #measured = new Map<PartName, number[]>()
  #round = 0

  private constructor(bench: PartBench) {
    this.#bench = bench
  }

  static async open(options: BenchOptions, git: OpenGit, config: CampaignConfig): Promise<PartTimer> {
    const root = await readRoot(git)
    const preparedRoot = await prepareRoot({
      repository: git.repository,
      objects: git.objects,
      folder: join(options.place, 'parts-root'),
      rootTree: root.tree,
      evaluation: config.evaluation,
      path: options.path,
      passedEnvironment: {},
      owner: options.place,
      signal: new AbortController().signal,
    })
    const isolation = await findNamespaces(options)
    return new PartTimer({ options, git, config, preparedRoot, isolation, root: root.commit })
  }

  async runRound(): Promise<void> {
    await runOnce(this.#bench, this.#round++, async (part, work) => {
      const started = performance.now()
      const result = await work()
      this.#measured.set(part, [...(this.#measured.get(part) ?? []), performance.now() - started])
      return result
    })
  }

  medians(): readonly Part[] {
    return [...this.#measured].map(([part, all]) => {
      const each = median(all)
      return {
        part,
        times: TIMES[part],
        ms_each: rounded(each),
        ms_per_candidate: rounded(each * TIMES[part]),
      }
    })
  }
}

interface PartBench {
  readonly options: BenchOptions
  readonly git: OpenGit
  readonly config: CampaignConfig
  readonly preparedRoot: PreparedRoot
  readonly isolation: Isolation
  readonly root: string
}

type Timer = <T>(part: PartName, work: () => Promise<T>) => Promise<T>

async function runOnce(bench: PartBench, round: number, timed: Timer): Promise<void> {
  const { options, git, config, preparedRoot, isolation, root } = bench
  const { path, place: owner } = options
  const common = {
    template: preparedRoot.template,
    maxDiskBytes: config.evaluation.maxDiskBytes,
    objects: git.objects,
    path,
    owner,
  }
  const folder = await timed('copy the root into a workspace', () =>
    createWorkspace({ ...common, folder: join(owner, 'parts-work'), changes: [] }),
  )
  await appendFile(join(folder.files, 'src/part-0/file-0.js'), `export const part = ${round}\n`)
  const tree = await timed('stage and write the tree', () =>
    writeTreeOf(preparedRoot.area, { files: folder.files, indexFile: folder.indexFile, withheld: [] }),
  )
  const changes = await timed('diff two trees', () => diffTrees(git.repository, preparedRoot.rootTree, tree))
  const workspace = await timed('make a workspace over the shared root', async () =>
    createWorkspace({
      ...common,
      folder: join(owner, 'parts-evaluation'),
      shared: await findSharedRoot(preparedRoot, { absent: [], path, owner, isolation }),
      changes: changes.map(({ pathBytes, after }) => ({ pathBytes, version: after })),
      isolation,
    }),
  )
  await timed('run the evaluator, isolated', () =>
    measureOnce(
      {
        workspace,
        isolation,
        trusted: preparedRoot.trusted,
        programs: preparedRoot.programs,
        evaluation: config.evaluation,
        neededMetrics: config.objectives.map(({ metric }) => metric),
        path,
        passedEnvironment: {},
        owner,
        signal: new AbortController().signal,
      },
      config.evaluation,
    ),
  )
  await timed('commit and keep the candidate', async () => {
    const draft = {
      tree,
      parents: [root],
      message: `part ${round}`,
      identity: LOCAL_IDENTITY,
      seconds: round,
    }
    const to = await writeCommit(git.objects, draft)
    return await git.refs.apply([{ ref: `refs/loreley/parts/${round}`, to, from: 'any' }])
  })
  await workspace.remove()
  await timed('remove a workspace', () => folder.remove())
}
