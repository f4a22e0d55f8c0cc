import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import type { EvaluationConfig } from '../../src/config/campaign-config.ts'
import type { Job } from '../../src/core/campaign/job.ts'
import { rngFor } from '../../src/core/rng.ts'
import { createGuard } from '../../src/guard/guard.ts'
import { type EvaluationOutcome, measureOnce, passGates } from '../../src/pipeline/measuring/evaluate.ts'
import type { AgentChecks } from '../../src/pipeline/proposing/agent-check.ts'
import { type AgentWork, propose } from '../../src/pipeline/proposing/propose.ts'
import { type PreparedRoot, prepareRoot } from '../../src/pipeline/workspace/prepared-root.ts'
import { createWithheld } from '../../src/pipeline/workspace/withheld.ts'
import { createWorkspace } from '../../src/pipeline/workspace/workspace.ts'
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
  prepareRoot(evaluation?: EvaluationConfig, environment?: Record<string, string>): Promise<PreparedRoot>
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
  rootPaths: [],
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
  const shop: Workbench['prepareRoot'] = (evaluation = anEvaluation(), passedEnvironment = {}) =>
    prepareRoot({
      repository,
      objects,
      folder: join(place, 'roots'),
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
    prepareRoot: shop,
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
      const preparedRoot = await shop(anEvaluation({ setup }))
      return await propose({
        job: aJob(commit, parentTree),
        agent,
        brief: aBrief(),
        guard,
        preparedRoot,
        withheld: createWithheld(withheld, preparedRoot.rootFiles),
        objects,
        folder: join(owner, '1-1'),
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
      const preparedRoot = await shop(evaluation)
      const workspace = await createWorkspace({
        folder: join(owner, '1-1', 'evaluation'),
        template: preparedRoot.template,
        maxDiskBytes: evaluation.maxDiskBytes,
        changes: [],
        objects,
        path: PATH,
        owner,
        isolation,
      })
      const request = {
        workspace,
        trusted: preparedRoot.trusted,
        programs: preparedRoot.programs,
        evaluation,
        neededMetrics,
        path: PATH,
        passedEnvironment: environment,
        owner,
        signal: signal ?? new AbortController().signal,
        isolation,
      }
      const gates = await passGates(request)
      return gates.status === 'passed' ? await measureOnce(request, evaluation) : gates
    },
  }
}
