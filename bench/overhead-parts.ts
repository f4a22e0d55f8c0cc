import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CampaignConfig } from '../src/config/campaign-config.ts'
import { diffTrees } from '../src/git/listing.ts'
import { writeCommit } from '../src/git/objects/commits.ts'
import { writeTreeOf } from '../src/git/staging.ts'
import { measureOnce } from '../src/pipeline/measuring/evaluate.ts'
import { type PreparedRoot, prepareRoot } from '../src/pipeline/workspace/prepared-root.ts'
import { createWorkspace } from '../src/pipeline/workspace/workspace.ts'
import { LOCAL_IDENTITY } from '../src/store/local-store.ts'
import type { OpenGit } from '../src/store/open-git.ts'
import { type BenchOptions, median, rounded } from './bench.ts'
import { readRoot } from './sample-repository.ts'

/** One piece of a candidate's work: how often a candidate needs it, and what it costs. */
export interface Part {
  readonly part: string
  readonly times: number
  readonly ms_each: number
  readonly ms_per_candidate: number
}

// How often one candidate does each: a workspace for the agent and one for the evaluator; the change from
// the parent, and from the root both before and after the agent.
const TIMES = {
  'copy the root into a workspace': 2,
  'stage and write the tree': 1,
  'diff two trees': 3,
  'run the evaluator as a group': 1,
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
    return new PartTimer({ options, git, config, preparedRoot, root: root.commit })
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
  readonly root: string
}

type Timer = <T>(part: PartName, work: () => Promise<T>) => Promise<T>

async function runOnce(bench: PartBench, round: number, timed: Timer): Promise<void> {
  const { options, git, config, preparedRoot, root } = bench
  const { path } = options
  const folder = await timed('copy the root into a workspace', () =>
    createWorkspace({
      folder: join(options.place, 'parts-work'),
      template: preparedRoot.template,
      maxDiskBytes: config.evaluation.maxDiskBytes,
      changes: [],
      objects: git.objects,
      path,
      owner: options.place,
    }),
  )
  await appendFile(join(folder.files, 'src/part-0/file-0.js'), `export const part = ${round}\n`)
  const tree = await timed('stage and write the tree', () =>
    writeTreeOf(preparedRoot.area, { files: folder.files, indexFile: folder.indexFile, withheld: [] }),
  )
  await timed('diff two trees', () => diffTrees(git.repository, preparedRoot.rootTree, tree))
  await timed('run the evaluator as a group', () =>
    measureOnce(
      {
        workspace: folder,
        trusted: preparedRoot.trusted,
        programs: preparedRoot.programs,
        evaluation: config.evaluation,
        neededMetrics: config.objectives.map(({ metric }) => metric),
        path,
        passedEnvironment: {},
        owner: options.place,
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
  await timed('remove a workspace', () => folder.remove())
}
