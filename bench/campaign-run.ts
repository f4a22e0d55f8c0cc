import { join } from 'node:path'
import type { Agent } from '../src/agents/agent.ts'
import type { CampaignConfig } from '../src/config/campaign-config.ts'
import { parseConfig } from '../src/config/file/parse.ts'
import { LoreleyError } from '../src/errors.ts'
import { localFolders } from '../src/local/local-folders.ts'
import { runLocally } from '../src/local/local-run.ts'
import type { RunReporter } from '../src/local/run-request.ts'
import type { OpenGit } from '../src/store/open-git.ts'
import type { Snapshot } from '../src/store/state-store.ts'
import type { BenchOptions } from './bench.ts'

export interface CampaignRun {
  readonly git: OpenGit
  readonly config: CampaignConfig
  readonly agent: Agent
  readonly parallel: number
  readonly reporter?: Partial<RunReporter>
}

/** Runs a campaign, or carries it on, through the local host as `loreley run` does. */
export async function runCampaign({ place, path }: BenchOptions, run: CampaignRun): Promise<Snapshot> {
  const silent: RunReporter = { started: () => undefined, finished: () => undefined, warned: () => undefined }
  return await runLocally({
    git: run.git,
    config: run.config,
    agent: run.agent,
    folders: localFolders(run.git.repository, join(place, 'cache'), run.config.name),
    parallel: run.parallel,
    path,
    home: place,
    passedEnvironment: {},
    signal: new AbortController().signal,
    reporter: { ...silent, ...run.reporter },
  })
}

/** The only campaign of a config text. */
export function parseOneCampaign(text: string, name: string): CampaignConfig {
  const [config] = parseConfig(text, name).campaigns.values()
  if (config === undefined) throw new LoreleyError('config-invalid', `${name} has no campaign.`, 'Add one.')
  return config
}
