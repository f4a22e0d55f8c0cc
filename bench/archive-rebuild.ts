import { rebuild } from '../src/core/archive/rebuild.ts'
import type { LedgerEntry } from '../src/core/campaign/ledger.ts'
import { LoreleyError } from '../src/errors.ts'
import { encodeArchive } from '../src/store/encode.ts'
import { openGit } from '../src/store/open-git.ts'
import { type BenchOptions, rounded } from './bench.ts'
import { withLearnedAxes } from './learned-campaign.ts'
import { createLongCampaign } from './long-campaign.ts'
import { createSampleRepository, readRoot } from './sample-repository.ts'

/** Where the time of a rebuild goes. */
export interface RebuildFigures {
  readonly finished: number
  readonly read_s: number
  readonly place_s: number
  readonly rebuild_s: number
}

/** A full rebuild as `loreley rebuild` does it: ledger and vectors out of git, every fit, every candidate to its place. */
export async function measureRebuild(
  { place, gitEnvironment, log }: BenchOptions,
  finished: number,
): Promise<RebuildFigures> {
  await createSampleRepository(place, gitEnvironment)
  const git = await openGit(place, gitEnvironment)
  try {
    const stored = withLearnedAxes(createLongCampaign(await readRoot(git), finished))
    const change = { ...stored, pages: new Map(), subject: 'bench', at: new Date() }
    await git.store.commit(undefined, change)
    log(`${finished} finished candidates are written`)
    const started = performance.now()
    const snapshot = await git.store.load(stored.config.name)
    if (snapshot === undefined) throw broken('the campaign is gone')
    const entries: LedgerEntry[] = []
    for await (const entry of git.store.readLedger(snapshot, 'with-embeddings')) entries.push(entry)
    const read = performance.now()
    const { archive } = rebuild(snapshot.state, entries)
    const text = encodeArchive(archive, snapshot.state.campaign.epoch)
    const placed = performance.now()
    if (entries.length !== finished || text.length < finished / 100) throw broken('the ledger is not whole')
    return {
      finished,
      read_s: rounded((read - started) / 1000),
      place_s: rounded((placed - read) / 1000),
      rebuild_s: rounded((placed - started) / 1000),
    }
  } finally {
    await git.close()
  }
}

function broken(what: string): LoreleyError {
  return new LoreleyError(
    'internal',
    `The benchmark does not measure what it should: ${what}.`,
    'Mend it first.',
  )
}
