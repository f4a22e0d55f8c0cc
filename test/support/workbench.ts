import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import type { EvaluationConfig } from '../../src/config/campaign-config.ts'
import type { Job } from '../../src/core/campaign/job.ts'
import { rngFor } from '../../src/core/rng.ts'
import { createGuard } from '../../src/guard/guard.ts'
import type { AgentChecks } from '../../src/pipeline/agent-check.ts'
import { type EvaluationOutcome, measureOnce, passGates } from '../../src/pipeline/evaluate.ts'
import { type AgentWork, propose } from '../../src/pipeline/propose.ts'
import { createWithheld } from '../../src/pipeline/withheld.ts'
import { createWorkFolder } from '../../src/pipeline/work-folder.ts'
import { openWorkshop, type Workshop } from '../../src/pipeline/workshop.ts'
import type { Isolation } from '../../src/process/isolation/isolation.ts'
import { type OpenGit, openGit } from '../../src/store/open-git.ts'
import { aBrief, aConfig } from './builders.ts'
import { aFolder, git, gitEnvironment } from './repository.ts'

const PATH = process.env.PATH ?? ''

/** An evaluation with the schema's defaults. */
export function anEvaluation(changes: Partial<EvaluationConfig> = {}): EvaluationConfig {
  return { ...aConfig().evaluation, timeoutSeconds: 20, ...changes }
}

/** A job on the given tree, as a campaign would plan it. */
export function aJob(commit: string, tree: string, changes: Partial<Job> = {}): Job {
  const parent = { ordinal: 0, commit, tree }
  return {
    ordinal: 1,
    attempt: 1,
    kind: 'candidate',
    operator: 'mutate',
    parent,
    inspirations: [],
    ...changes,
  }
}

/** A repository's HEAD made ready for candidates, and the steps that a candidate goes through. */
export interface Workbench {
  readonly source: string
  readonly git: OpenGit
  readonly place: string
  readonly commit: string
  readonly tree: string
  openWorkshop(evaluation?: EvaluationConfig, environment?: Record<string, string>): Promise<Workshop>
  propose(agent: Agent, order?: ProposeOptions): Promise<AgentWork>
  evaluate(evaluation: EvaluationConfig, options?: EvaluateOptions): Promise<EvaluationOutcome>
}

interface ProposeOptions {
  readonly parentTree?: string
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  readonly setup?: string
  readonly checks?: AgentChecks
  readonly withheld?: readonly string[]
  readonly maxDiskBytes?: number
  readonly environment?: Readonly<Record<string, string>>
}

interface EvaluateOptions {
  readonly neededMetrics?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly isolation?: Isolation
}

/** `src/**` is editable, `src/fixed/**` protected, `evaluate.sh` the evaluator; 4 files and 1000 bytes each at most. */
const guard = createGuard({
  editable: ['src/**'],
  protected: ['src/fixed/**'],
  evaluatorFiles: ['evaluate.sh', 'src/measure.sh'],
  baseRules: [],
  allowManifests: false,
  maxFiles: 4,
  maxLines: 100,
  maxFileBytes: 1000,
  maxTotalBytes: 2000,
})

export async function aWorkbench(source: string): Promise<Workbench> {
  const place = aFolder()
  const opened = await openGit(source, gitEnvironment)
  onTestFinished(() => opened.close())
  const commit = git(source, 'rev-parse', 'HEAD')
  const tree = git(source, 'rev-parse', 'HEAD^{tree}')
  const { repository, objects } = opened
  const owner = join(place, 'work')
  const shop: Workbench['openWorkshop'] = (evaluation = anEvaluation(), passedEnvironment = {}) =>
    openWorkshop({
      repository,
      objects,
      place: join(place, 'workshops'),
      rootTree: tree,
      evaluation,
      path: PATH,
      passedEnvironment,
      owner,
      signal: new AbortController().signal,
    })
  return {
    source,
    git: opened,
    place,
    commit,
    tree,
    openWorkshop: shop,
    propose: async (
      agent,
      {
        parentTree = tree,
        timeoutMs = 20_000,
        signal,
        setup,
        checks = { gates: [] },
        withheld = [],
        environment = {},
        maxDiskBytes = anEvaluation().maxDiskBytes,
      } = {},
    ) => {
      const workshop = await shop(anEvaluation({ setup }))
      return await propose({
        job: aJob(commit, parentTree),
        agent,
        brief: aBrief(),
        guard,
        workshop,
        withheld: createWithheld(withheld, workshop.rootFiles),
        objects,
        place: join(owner, '1-1'),
        path: PATH,
        rng: rngFor(1, 1, 'agent'),
        rework: true,
        checks,
        passedEnvironment: environment,
        timeoutMs,
        maxDiskBytes,
        signal: signal ?? new AbortController().signal,
        owner,
      })
    },
    evaluate: async (evaluation, { neededMetrics = ['score'], environment = {}, signal, isolation } = {}) => {
      const workshop = await shop(evaluation)
      const folder = await createWorkFolder({
        place: join(owner, '1-1', 'evaluation'),
        template: workshop.template,
        maxDiskBytes: evaluation.maxDiskBytes,
        changes: [],
        objects,
        path: PATH,
        owner,
        isolation,
      })
      const order = {
        folder,
        trusted: workshop.trusted,
        evaluation,
        neededMetrics,
        path: PATH,
        passedEnvironment: environment,
        owner,
        signal: signal ?? new AbortController().signal,
        isolation,
      }
      const gates = await passGates(order)
      return gates.status === 'passed' ? await measureOnce(order, evaluation) : gates
    },
  }
}
