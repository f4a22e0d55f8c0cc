import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CampaignConfig } from '../../config/campaign-config.ts'
import { listWorkFiles } from '../../git/repository.ts'
import { createCampaignGuard } from '../../guard/campaign-guard.ts'
import { type Exposure, findExposures } from '../../pipeline/exposure/find-exposures.ts'
import type { Session } from './session.ts'

/** Reads where the evaluator in the work tree loads or starts files that candidates may change. */
export async function reportExposures(
  { folder, git }: Pick<Session, 'folder' | 'git'>,
  config: Pick<CampaignConfig, 'evaluation' | 'scope'>,
): Promise<Exposure[]> {
  const files = await listWorkFiles(git.repository)
  const read = (path: string) => readFile(join(folder, path), 'utf8').catch(() => '')
  const guard = await createCampaignGuard(
    config,
    files.map((path) => ({ path, blob: path, mode: '100644' })),
    read,
  )
  return await findExposures(config.evaluation, { files, read, isEditable: guard.isEditable })
}

const FORGES = 'Code in that process can print any number'
const ADVICE = 'Start it with loreley-candidate and judge its answer'
const CONSEQUENCES: Readonly<Record<Exposure['kind'], (target: string) => string>> = {
  loads: (target) =>
    `loads ${target}, which candidates may change, into the evaluator's own process. ${FORGES}. ${ADVICE}.`,
  starts: (target) =>
    `starts ${target}, which candidates may change, without loreley-candidate. It can write the evaluator's output, read its memory and stop it. ${ADVICE}.`,
  'root-copy': (target) =>
    `uses ${target} beside itself in $LORELEY_TRUSTED. That is the root's copy: no candidate is measured by it. Name the file in the working folder, and start it with loreley-candidate.`,
}

const SHOWN = 10

/** The report in lines, the first places only. */
export function renderExposures(exposures: readonly Exposure[]): string[] {
  const lines = exposures.map(
    ({ file, line, kind, target }) => `${file}:${line} ${CONSEQUENCES[kind](target)}`,
  )
  const more = lines.length - SHOWN
  return [...lines.slice(0, SHOWN), ...(more > 0 ? [`${more} more such places in the evaluator.`] : [])]
}

/** What follows when the evaluator cannot do without the files itself. */
export function renderFailsApart(reason: string): string {
  const said = reason.replaceAll(/^/gm, '  ')
  return `the measuring command fails when only loreley-candidate can read the files that candidates may change: it uses them itself. If it loads them as code, that code can print any number. ${ADVICE}. It said:\n${said}`
}
