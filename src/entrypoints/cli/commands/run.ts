import { agentVariables, createAgent } from '../../../agents/registry.ts'
import type { CampaignConfig } from '../../../config/campaign-config.ts'
import { readEmbedderKey } from '../../../config/environment/embedder-key.ts'
import { pickEnvironment } from '../../../config/environment/environment.ts'
import type { Policy } from '../../../core/campaign/engine-config.ts'
import { localFolders } from '../../../local/local-folders.ts'
import { runLocally } from '../../../local/local-run.ts'
import type { Snapshot } from '../../../store/state-store.ts'
import { createReporter, type SummarisingReporter } from '../progress.ts'
import { loadConfigFile, pickCampaign, type Session, withSession } from '../session.ts'

export interface RunOptions {
  readonly candidates?: number
  readonly parallel?: number
  readonly seed?: number
  readonly policy?: Policy
  readonly acceptNoise?: true
  readonly json?: true
}

/** `loreley run`: runs or continues a campaign here. */
export async function run(repo: string, name: string | undefined, options: RunOptions): Promise<void> {
  await withSession(repo, async (session) => {
    const found = await findToRun(session, name)
    const reporter = createReporter(options.json === true)
    const { snapshot, interrupted } = await runCampaign(session, found, options, reporter)
    reporter.summarise(snapshot)
    const ended = snapshot.state.campaign.status.phase === 'finished'
    process.exitCode = interrupted ? 130 : ended ? 0 : 1
  })
}

/** A campaign of the config file, or one of the state branch with its config. */
export interface CampaignToRun {
  readonly id: string
  readonly config: CampaignConfig
}

// A campaign that an issue or a schedule started on GitHub has its own name.
async function findToRun(session: Session, name: string | undefined): Promise<CampaignToRun> {
  const file = await loadConfigFile(session)
  const begun =
    name === undefined || file.campaigns.has(name) ? undefined : await session.git.store.load(name)
  const config = pickCampaign(file, begun?.config.name ?? name)
  return { id: begun?.state.campaign.id ?? config.name, config }
}

export interface RunEnd {
  readonly snapshot: Snapshot
  readonly interrupted: boolean
}

/** Runs with the command line's overrides; the first Ctrl-C stops cleanly, a second one at once. */
export async function runCampaign(
  session: Session,
  { id, config: file }: CampaignToRun,
  options: RunOptions,
  reporter: SummarisingReporter,
): Promise<RunEnd> {
  const stored = await session.git.store.load(id)
  const config = withOptions(file, stored?.config, options)
  const abort = new AbortController()
  const interrupt = (): void => {
    if (abort.signal.aborted) process.exit(130)
    reporter.warned(
      'Stopping. Unfinished candidates are repeated in the next run. Press Ctrl-C again to quit at once.',
    )
    abort.abort()
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  try {
    const snapshot = await runLocally({
      git: session.git,
      config,
      campaign: id,
      agent: createAgent(config.agent, {
        path: session.host.path,
        environment: pickEnvironment(agentVariables(config.agent)),
      }),
      folders: localFolders(session.git.repository, session.host.cacheFolder, id),
      parallel: options.parallel ?? config.limits.parallel,
      path: session.host.path,
      home: session.host.home,
      passedEnvironment: pickEnvironment(config.evaluation.environment),
      embedderKey: readEmbedderKey(config),
      acceptNoise: options.acceptNoise,
      signal: abort.signal,
      reporter,
    })
    return { snapshot, interrupted: abort.signal.aborted }
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

// Seed and policy define a campaign. They are set when it starts and stay.
function withOptions(
  file: CampaignConfig,
  stored: CampaignConfig | undefined,
  options: RunOptions,
): CampaignConfig {
  const { seed, policy } = {
    ...file.search,
    ...(stored && { seed: stored.search.seed, policy: stored.search.policy }),
  }
  return {
    ...file,
    search: { ...file.search, seed: options.seed ?? seed, policy: options.policy ?? policy },
    limits: { ...file.limits, candidates: options.candidates ?? file.limits.candidates },
  }
}
