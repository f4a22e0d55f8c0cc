import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pc from 'picocolors'
import type { Health } from '../../../agents/agent.ts'
import { agentVariables, createAgent } from '../../../agents/registry.ts'
import type { CampaignConfig } from '../../../config/campaign-config.ts'
import { pickEnvironment } from '../../../config/environment/environment.ts'
import { escapeHidden } from '../../../core/hidden-characters.ts'
import { LoreleyError } from '../../../errors.ts'
import { findCommit } from '../../../git/repository.ts'
import { localFolders } from '../../../local/local-folders.ts'
import { isolateLocally } from '../../../local/local-isolation.ts'
import { usedIsolation } from '../../../pipeline/job-context.ts'
import { renderIsolation } from '../../../reports/candidate/isolation-text.ts'
import { renderEvaluator, reportEvaluator } from '../evaluator-report.ts'
import { printJson } from '../print.ts'
import { hasWorkTree, loadConfigFile, pickCampaign, type Session, withSession } from '../session.ts'

export interface DoctorOptions {
  readonly json?: true
}

const PATIENCE_MS = 60_000

/** `loreley doctor`: checks what a campaign needs, the model with one short question, and changes nothing. */
export async function doctor(repo: string, name: string | undefined, options: DoctorOptions): Promise<void> {
  await withSession(repo, async (session) => {
    const config = pickCampaign(await loadConfigFile(session), name)
    const found = [
      ...(await checkRepository(session)),
      ...((await hasWorkTree(repo)) ? [await checkEvaluator(session, config)] : []),
      await checkIsolation(session, config),
      ...(await checkAgent(session, config)),
    ]
    if (options.json) printJson(found)
    else for (const health of found) console.log(renderHealth(health))
    process.exitCode = found.every(({ ok }) => ok) ? 0 : 1
  })
}

async function checkRepository({ git }: Session): Promise<Health[]> {
  const head = await findCommit(git.repository, 'HEAD')
  return [
    { what: 'node', ok: true, detail: process.version },
    {
      what: 'repository',
      ok: head !== undefined,
      detail: head === undefined ? 'has no commit to start from' : `starts at ${head.slice(0, 10)}`,
    },
  ]
}

// A warning, not a fault: a campaign may measure with files outside the editable ones.
async function checkEvaluator(session: Session, config: CampaignConfig): Promise<Health> {
  return { what: 'evaluator', ok: true, detail: renderEvaluator(await reportEvaluator(session, config)) }
}

async function checkIsolation({ git, host }: Session, config: CampaignConfig): Promise<Health> {
  const what = 'isolation'
  const { repository } = git
  const folders = localFolders(repository, host.cacheFolder, config.name)
  // In the cache, because its permissions matter, but apart from running campaigns.
  await mkdir(folders.cache, { recursive: true })
  const trialFolder = await mkdtemp(join(folders.cache, 'doctor-'))
  await chmod(trialFolder, 0o755)
  try {
    const { home, path } = host
    const found = await isolateLocally({ repository, folders, trialFolder, home, path }, config.evaluation)
    const detail = `candidate code runs with: ${renderIsolation(usedIsolation(found.isolation))}`
    const reason = found.status === 'none' ? found.reason : found.isolation.lacks
    return { what, ok: true, detail: reason === undefined ? detail : `${detail} (${reason})` }
  } catch (error) {
    if (!(error instanceof LoreleyError)) throw error
    return { what, ok: false, detail: `${error.message} ${error.hint}` }
  } finally {
    await rm(trialFolder, { recursive: true, force: true })
  }
}

async function checkAgent({ host }: Session, config: CampaignConfig): Promise<readonly Health[]> {
  try {
    const environment = pickEnvironment(agentVariables(config.agent))
    const agent = createAgent(config.agent, { path: host.path, environment })
    return await agent.checkHealth(AbortSignal.timeout(PATIENCE_MS))
  } catch (error) {
    if (!(error instanceof LoreleyError)) throw error
    return [{ what: `agent ${config.agent.use}`, ok: false, detail: `${error.message} ${error.hint}` }]
  }
}

function renderHealth({ what, ok, detail }: Health): string {
  return `${ok ? pc.green('ok  ') : pc.red('fail')} ${what}: ${escapeHidden(detail)}`
}
