import type * as z from 'zod'
import type { Archive } from '../core/archive/archive.ts'
import { archiveRules, createArchive } from '../core/archive/cell-archive.ts'
import type { Campaign, CampaignState } from '../core/campaign/campaign.ts'
import type { Job } from '../core/campaign/job.ts'
import type { LedgerEntry } from '../core/campaign/ledger.ts'
import { countValues } from '../core/count-values.ts'
import { LoreleyError } from '../errors.ts'
import { describeIssues } from '../protocol/artifact.ts'
import { archive, campaign } from '../protocol/campaign.ts'
import { configDocument } from '../protocol/config-document.ts'
import { job } from '../protocol/job.ts'
import { ledgerEntry } from '../protocol/ledger-entry.ts'
import { projection, vectorLine } from '../protocol/space.ts'
import { SCHEMA_VERSION } from './encode.ts'
import { campaignFolder, jobPath, SHARD_LINES, shardPath, vectorsPath } from './layout.ts'
import type { StoredCampaign } from './state-store.ts'

/** Document texts by path below the campaign's folder. */
type Documents = ReadonlyMap<string, string>

/** Decodes a campaign from its documents; `shard` is the number of their ledger file. */
export function decodeCampaign(folder: string, documents: Documents, shard: number): StoredCampaign {
  const read = <T>(path: string, schema: z.ZodType<T>): T => decode(folder, path, documents.get(path), schema)
  const config = read('config.json', configDocument)
  const progress = read('campaign.json', campaign)
  if (folder !== campaignFolder(progress.id))
    throw corrupt(folder, 'campaign.json', `it is of the campaign ${progress.id}`)
  const ledger = readLedgerEnd(folder, documents, shard, progress)
  const jobs = [...documents.keys()]
    .filter((path) => path.startsWith('jobs/'))
    .map((path) => {
      const found = read(path, job)
      if (path === jobPath(found.ordinal)) return found
      throw corrupt(folder, path, `it holds candidate ${found.ordinal}`)
    })
  assertNoneMissing(folder, jobs, ledger.count, progress)
  const check = new LedgerCheck(folder, progress, new Set(jobs.map(({ ordinal }) => ordinal)))
  check.accept(shard, ledger.lines)
  const state: CampaignState = {
    config,
    campaign: progress,
    archive: readArchive(folder, read('archive.json', archive), config),
    projection: read('projection.json', projection),
    jobs: new Map(jobs.map((each) => [each.ordinal, each])),
    ledger: { count: ledger.count, tail: ledger.tail },
    trees: new Map(),
  }
  return { state, config }
}

// Every planned candidate is open or finished. The campaign would wait forever for one whose file is gone.
function assertNoneMissing(folder: string, jobs: readonly Job[], finished: number, progress: Campaign): void {
  const stoppedEarly = progress.status.phase === 'finished' && finished === 0
  const planned = stoppedEarly ? 0 : progress.nextOrdinal
  if (jobs.length + finished !== planned)
    throw corrupt(
      folder,
      'jobs/',
      `there are ${jobs.length} open and ${finished} finished of ${planned} candidates`,
    )
}

// A truncated ledger would be overwritten. The campaign's count reveals it.
function readLedgerEnd(
  folder: string,
  documents: Documents,
  shard: number,
  { finished, baseline, control, epoch }: Campaign,
): CampaignState['ledger'] & { readonly lines: readonly LedgerEntry[] } {
  // A second epoch begins only after the root was measured in the first.
  const first = baseline !== undefined || epoch > 1 ? 1 : 0
  const expected = finished + control.confirmed + first
  const path = shardPath(shard)
  const lines = expected === 0 ? [] : decodeLedger(folder, documents, shard)
  const count = shard * SHARD_LINES + lines.length
  if (count !== expected)
    throw corrupt(folder, path, `it ends after ${count} finished candidates, campaign.json says ${expected}`)
  return { count, tail: lines.length === SHARD_LINES ? [] : lines, lines }
}

/**
 * Checks the order of ledger lines, file by file. Every planned candidate is open or has exactly one line, and the archive
 * depends on the order of the lines. Counts alone would accept a ledger with one line doubled and another missing.
 */
export class LedgerCheck {
  readonly #folder: string
  readonly #campaign: Pick<Campaign, 'order' | 'nextOrdinal'>
  readonly #open: ReadonlySet<number>
  readonly #seen = new Set<number>()
  #isWhole = true

  constructor(folder: string, campaign: Pick<Campaign, 'order' | 'nextOrdinal'>, open: ReadonlySet<number>) {
    this.#folder = folder
    this.#campaign = campaign
    this.#open = open
  }

  /** Throws at the first line that is out of place. */
  accept(shard: number, lines: readonly LedgerEntry[]): void {
    const first = shard * SHARD_LINES
    // A load reads only the last file. Then earlier candidates are unknown.
    if (first !== this.#seen.size) this.#isWhole = false
    for (const [index, line] of lines.entries()) {
      const fault = this.#findFault(line, first + index)
      if (fault !== undefined) throw corrupt(this.#folder, `${shardPath(shard)}:${index + 1}`, fault)
      this.#seen.add(line.ordinal)
    }
  }

  #findFault({ ordinal, parent }: LedgerEntry, position: number): string | undefined {
    const { order, nextOrdinal } = this.#campaign
    if (this.#seen.has(ordinal)) return `it repeats candidate ${ordinal}`
    if (order === 'ordinal' && ordinal !== position)
      return `it holds candidate ${ordinal}, where ${position} belongs`
    if (ordinal >= nextOrdinal) return `it holds candidate ${ordinal}, which was never planned`
    if (this.#open.has(ordinal)) return `it holds candidate ${ordinal}, which is still open`
    // Nothing is bred from a candidate before that has finished.
    if (this.#isWhole && parent !== ordinal && !this.#seen.has(parent))
      return `candidate ${ordinal} stands before its parent ${parent}`
    return undefined
  }
}

function readArchive(
  folder: string,
  document: z.infer<typeof archive>,
  config: CampaignState['config'],
): Archive {
  const rules = archiveRules(config)
  const stored = Object.keys(document.islands).sort().join()
  if (stored !== rules.islands?.toSorted().join())
    throw corrupt(folder, 'archive.json', `its islands (${stored}) are not those of config.json`)
  const members = Object.entries(document.islands).flatMap(([island, cells]) =>
    Object.entries(cells).flatMap(([cell, elites]) =>
      elites.map((elite, index) => ({ island, cell, rank: index + 1, elite })),
    ),
  )
  const most = config.objectives.length === 1 ? 1 : config.search.front
  const crowded = members.find(({ rank }) => rank > most)
  if (crowded !== undefined)
    throw corrupt(folder, 'archive.json', `cell ${crowded.cell} holds more than ${most} elites`)
  const created = createArchive(document.shape, rules, members)
  const misplaced = members.find(({ cell, elite }) => created.cellOf(elite.descriptor) !== cell)
  if (misplaced !== undefined)
    throw corrupt(
      folder,
      'archive.json',
      `candidate ${misplaced.elite.ordinal} is not of cell ${misplaced.cell}`,
    )
  return created
}

/** The lines of one ledger file, with embeddings if their file is among the documents. */
export function decodeLedger(folder: string, documents: Documents, shard: number): LedgerEntry[] {
  const lines = decodeLines(folder, shardPath(shard), documents.get(shardPath(shard)), ledgerEntry)
  const text = documents.get(vectorsPath(shard))
  if (text === undefined) return lines
  const embeddings = new Map(
    decodeLines(folder, vectorsPath(shard), text, vectorLine).map(({ ordinal, ...embedding }) => [
      ordinal,
      embedding,
    ]),
  )
  return lines.map((line) => {
    const embedding = embeddings.get(line.ordinal)
    return embedding === undefined ? line : { ...line, embedding }
  })
}

function decodeLines<T>(folder: string, path: string, text: string | undefined, schema: z.ZodType<T>): T[] {
  const lines = splitLines(folder, path, text)
  return lines.map((line, index) => decode(folder, `${path}:${index + 1}`, line, schema, MAX_LINE_VALUES))
}

function splitLines(folder: string, path: string, text: string | undefined): string[] {
  if (text === undefined) throw corrupt(folder, path, 'the file is missing')
  const lines = text.split('\n')
  if (lines.pop() !== '') throw corrupt(folder, path, 'its last line is cut off')
  return lines
}

/** The first candidate with each tree of an epoch, from one part of the index. */
export function decodeTrees(
  location: { folder: string; path: string },
  text: string,
  epoch: number,
): Map<string, number> {
  const { folder, path } = location
  const lines = splitLines(folder, path, text).map((line) => {
    const [, tree, ordinal, of = '1'] = /^([0-9a-f]{40}|[0-9a-f]{64}) (\d+)(?: (\d+))?$/.exec(line) ?? []
    if (tree === undefined)
      throw corrupt(folder, path, `the line "${line.slice(0, 80)}" is not a tree and an ordinal`)
    return { tree, ordinal: Number(ordinal), epoch: Number(of) }
  })
  return new Map(lines.filter((line) => line.epoch === epoch).map(({ tree, ordinal }) => [tree, ordinal]))
}

// Runs, samples and names of one candidate: hundreds of values at most.
const MAX_LINE_VALUES = 10_000

function decode<T>(
  folder: string,
  path: string,
  text: string | undefined,
  schema: z.ZodType<T>,
  maxValues = Number.POSITIVE_INFINITY,
): T {
  if (text === undefined) throw corrupt(folder, path, 'the file is missing')
  const { schema: version, ...content } = parseObject(folder, path, text)
  if (typeof version === 'number' && version > SCHEMA_VERSION) throw newer(folder, path, version)
  if (version !== SCHEMA_VERSION) throw corrupt(folder, path, 'it has no schema version')
  if (countValues(content, maxValues) > maxValues)
    throw corrupt(folder, path, `it holds more than ${maxValues} values`)
  const result = schema.safeParse(content)
  if (result.success) return result.data
  const { issues } = result.error
  const isNewer = issues.every(({ code }) => code === 'unrecognized_keys')
  throw isNewer
    ? unknownKeys(folder, path, describeIssues(result.error))
    : corrupt(folder, path, describeIssues(result.error))
}

function parseObject(folder: string, path: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch (error) {
    throw corrupt(folder, path, 'it is not JSON', error)
  }
  throw corrupt(folder, path, 'it is not a JSON object')
}

function corrupt(folder: string, path: string, detail: string, cause?: unknown): LoreleyError {
  return new LoreleyError(
    'state-corrupt',
    `loreley/state:${folder}/${path} cannot be used: ${detail}.`,
    'Nothing was changed. See who changed it with `git log -p loreley/state`; go back to a good commit with `git branch -f loreley/state <commit>`.',
    cause,
  )
}

// Going back to an older commit, as for a corrupt state, would throw away progress.
function unknownKeys(folder: string, path: string, detail: string): LoreleyError {
  return new LoreleyError(
    'state-newer',
    `loreley/state:${folder}/${path} cannot be read by this version of Loreley: ${detail}.`,
    'Nothing was changed. A newer Loreley probably wrote it: update this one (the App or the action, whichever is older).',
  )
}

function newer(folder: string, path: string, version: number): LoreleyError {
  return new LoreleyError(
    'state-newer',
    `loreley/state:${folder}/${path} has schema ${version}; this Loreley knows ${SCHEMA_VERSION}.`,
    'Nothing was changed. A newer Loreley wrote it: update this one.',
  )
}
