import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Elite } from '../src/core/archive/archive.ts'
import { createArchive } from '../src/core/archive/cell-archive.ts'
import { NO_USAGE } from '../src/core/budget/budget.ts'
import type { CampaignState } from '../src/core/campaign/campaign.ts'
import type { Job, JobResult } from '../src/core/campaign/job.ts'
import type { LedgerEntry } from '../src/core/campaign/ledger.ts'
import { createCampaign } from '../src/core/campaign/start.ts'
import type { Verdict } from '../src/core/measuring/verdict.ts'
import type { Repository } from '../src/git/repository.ts'
import { eliteRef, keepRef } from '../src/store/layout.ts'
import type { StoredCampaign } from '../src/store/state-store.ts'
import { parseOneCampaign } from './campaign-run.ts'

const CONFIG = parseOneCampaign(
  `
goal: Last long.
scope: { editable: [src/**] }
objectives: [{ metric: value, direction: maximize }]
evaluation: { command: echo 1 }
search: { cells: 256, axes: [{ metric: x, min: 0, max: 1 }, { metric: y, min: 0, max: 1 }] }
limits: { candidates: 1000000 }
`,
  'the tick benchmark',
)
const SIDE = 16
const USAGE = { tokens: 0, dollars: 0, runnerMs: 431 }

/** A campaign with a full archive, a window of open jobs, and so many finished candidates behind it. */
export function createLongCampaign(
  root: CampaignState['campaign']['root'],
  finished: number,
): StoredCampaign {
  const begun = createCampaign({
    id: CONFIG.name,
    config: CONFIG,
    order: 'ordinal',
    root,
    reserved: NO_USAGE,
    evaluator: '0'.repeat(64),
  })
  const { window } = begun.campaign
  const elites = Array.from({ length: SIDE * SIDE }, (_, cell) => createElite(cell, root.commit))
  const archive = createArchive(begun.archive.shape, CONFIG)
  for (const elite of elites) archive.add(elite)
  const tail = Array.from({ length: finished }, (_, ordinal) => createEntry(ordinal))
  const jobs = Array.from({ length: window }, (_, index) => createJob(finished + index, elites))
  const state: CampaignState = {
    ...begun,
    archive,
    jobs: new Map(jobs.map((job) => [job.ordinal, job])),
    ledger: { count: finished, tail },
    trees: indexTrees(tail),
    campaign: {
      ...begun.campaign,
      status: { phase: 'searching' },
      baseline: { metrics: { value: 1, x: 0, y: 0 }, value: [1], deterministic: true },
      nextOrdinal: finished + window,
      finished: finished - 1,
      search: {
        ...begun.campaign.search,
        children: Object.fromEntries(elites.map(({ ordinal }) => [ordinal, 7])),
        recipes: Array.from({ length: 64 }, (_, index) => `mutate:${index}:${index + 1},${index + 2}`),
      },
    },
  }
  return { state, config: CONFIG }
}

/** What the candidate of an open job measured: most are no better than their cell's elite, one in eight is. */
export function createResult(ordinal: number, commit: string): JobResult & { status: 'measured' } {
  const cell = ordinal % (SIDE * SIDE)
  return {
    status: 'measured',
    commit,
    tree: idOf('tree', ordinal),
    metrics: { ...placeOf(cell), value: ordinal % 8 === 0 ? 2 : 0.5 },
    samples: [],
    change: { files: 2, linesAdded: 14, linesRemoved: 9 },
    summary: `tune a number in src/part-${ordinal % 6}/file-${ordinal % 60}.js, swap two statements`,
    usage: USAGE,
  }
}

/** Gives every finished candidate its keep ref and every elite its branch, in git's file of packed refs. */
export async function packRefs(repository: Repository, { state }: StoredCampaign): Promise<void> {
  const { campaign, archive, ledger } = state
  const { id, root } = campaign
  const refs = [
    ...archive.members().map((member) => eliteRef(id, member)),
    ...ledger.tail.map(({ ordinal }) => keepRef(id, ordinal)),
  ]
  const lines = refs.sort().map((ref) => `${root.commit} ${ref}\n`)
  const header = '# pack-refs with: peeled fully-peeled sorted \n'
  await writeFile(join(repository.commonDir, 'packed-refs'), header + lines.join(''))
}

/** The same campaign without the commits of its history. A start would write a keep ref for each; they are packed. */
export function withoutCommits({ state, config }: StoredCampaign): StoredCampaign {
  const tail = state.ledger.tail.map(({ commit: _, ...entry }) => entry)
  return { config, state: { ...state, ledger: { ...state.ledger, tail } } }
}

function createEntry(ordinal: number): LedgerEntry {
  const cell = ordinal % (SIDE * SIDE)
  const verdict: Verdict = {
    status: 'refused',
    reason: 'not-better',
    cell: `${Math.floor(cell / SIDE)}-${cell % SIDE}`,
    holder: cell,
  }
  const { commit, tree, metrics, change, summary, usage } = createResult(ordinal, idOf('commit', ordinal))
  return {
    ordinal,
    attempt: 1,
    kind: ordinal === 0 ? 'baseline' : 'candidate',
    operator: 'mutate',
    lens: 'algorithm',
    parent: cell,
    inspirations: [cell + 1, cell + 2, cell + 3],
    verdict,
    summary,
    tree,
    commit,
    metrics,
    change,
    usage,
  }
}

function createJob(ordinal: number, elites: readonly Elite[]): Job {
  const [parent = { ordinal: 0, commit: '', tree: '' }, ...inspirations] = elites
    .slice(0, 4)
    .map(({ ordinal: of, commit, tree }) => ({ ordinal: of, commit, tree }))
  return { ordinal, attempt: 1, kind: 'candidate', operator: 'mutate', parent, inspirations }
}

function createElite(cell: number, commit: string): Elite {
  const { x, y } = placeOf(cell)
  return {
    ordinal: cell,
    commit,
    tree: idOf('tree', cell),
    value: [1],
    descriptor: [x, y],
  }
}

function placeOf(cell: number): { x: number; y: number } {
  return { x: (Math.floor(cell / SIDE) + 0.5) / SIDE, y: ((cell % SIDE) + 0.5) / SIDE }
}

function indexTrees(entries: readonly LedgerEntry[]): Map<string, Map<string, number>> {
  const parts = new Map<string, Map<string, number>>()
  for (const { tree, ordinal } of entries) {
    if (tree === undefined) continue
    const part = tree.slice(0, 2)
    const trees = parts.get(part) ?? new Map<string, number>()
    parts.set(part, trees.set(tree, ordinal))
  }
  return parts
}

function idOf(what: string, ordinal: number): string {
  return createHash('sha1').update(`${what} ${ordinal}`).digest('hex')
}
