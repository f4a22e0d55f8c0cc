import { cp, mkdtemp } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findBest } from '../../../core/archive/archive.ts'
import type { LedgerEntry } from '../../../core/campaign/ledger.ts'
import { candidateId } from '../../../core/candidate/candidate-id.ts'
import { createGitEnvironment } from '../../../git/command.ts'
import { commitFolder } from '../../../git/new-repository.ts'
import { renderMap } from '../../../reports/map/archive-map.ts'
import type { Snapshot } from '../../../store/state-store.ts'
import { renderWinner } from '../demo/output.ts'
import { createReporter } from '../progress.ts'
import { loadConfigFile, pickCampaign, type Session, withSession } from '../session.ts'
import { shade } from '../shade.ts'
import { type RunOptions, runCampaign } from './run.ts'
import { summarise } from './status.ts'

const EXAMPLE = fileURLToPath(new URL('../../../../examples/circle-packing', import.meta.url))

/** `loreley demo --local`: evolves a copy of the example on all cores, without a GitHub, and shows the result. */
export async function demoLocally(options: RunOptions): Promise<void> {
  const startedAt = performance.now()
  const folder = await mkdtemp(join(tmpdir(), 'loreley-demo-'))
  await cp(EXAMPLE, folder, { recursive: true })
  await commitFolder(folder, 'circle packing: a naive start', createGitEnvironment(process.env))
  await withSession(folder, async (session) => {
    const config = pickCampaign(await loadConfigFile(session), undefined)
    const reporter = createReporter(options.json === true)
    if (!options.json)
      console.log(`Packing 26 circles into the unit square, as large as possible. Repository: ${folder}`)
    const parallel = options.parallel ?? availableParallelism()
    const { snapshot, interrupted } = await runCampaign(
      session,
      { id: config.name, config },
      { ...options, parallel },
      reporter,
    )
    reporter.summarise(snapshot)
    if (interrupted) process.exitCode = 130
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10
    if (options.json) return console.log(JSON.stringify(lastLine(snapshot, seconds)))
    console.log(await renderEnd(session, snapshot, folder, seconds))
  })
}

function lastLine({ state }: Snapshot, seconds: number): Record<string, unknown> {
  const { baseline, best, candidates, cells } = summarise(state)
  return { baseline, best, candidates, cells, seconds }
}

async function renderEnd(
  session: Session,
  snapshot: Snapshot,
  folder: string,
  seconds: number,
): Promise<string> {
  const { state } = snapshot
  const entries = new Map<number, LedgerEntry>()
  for await (const entry of session.git.store.readLedger(snapshot)) entries.set(entry.ordinal, entry)
  const winner = findBest(state.archive, state.config.objectives)
  const id = candidateId(state.campaign.id, winner?.ordinal ?? 0)
  const self = `node ${fileURLToPath(new URL('../main.js', import.meta.url))}`
  return [
    '',
    renderMap(state, shade),
    '',
    renderWinner(state, entries),
    `${state.campaign.finished} candidates in ${seconds} s. Explore:`,
    `  cd ${folder}`,
    `  git log --oneline --graph --all          every elite is a branch`,
    `  git show loreley/state:campaigns/${state.campaign.id}/README.md`,
    `  ${self} show ${id} --against root`,
    `  ${self} run --candidates ${state.campaign.finished * 2}          continues`,
  ].join('\n')
}
