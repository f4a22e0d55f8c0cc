import { createHash } from 'node:crypto'
import { resolveCampaign } from '../../src/config/resolve.ts'
import { campaignSchema } from '../../src/config/schema/campaign.ts'
import { NO_USAGE } from '../../src/core/budget/budget.ts'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import type { CampaignEvent } from '../../src/core/campaign/events.ts'
import type { Job, JobResult } from '../../src/core/campaign/job.ts'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import { createCampaign } from '../../src/core/campaign/start.ts'
import { tick } from '../../src/core/campaign/tick.ts'
import { rngFor } from '../../src/core/rng.ts'
import { type Kind, makeChange } from './changes.ts'
import { LINEAGES, type LineageName } from './lineages.ts'
import type { Edits, MemoryRepository } from './repository.ts'

export interface PlayOrder {
  readonly repository: MemoryRepository
  readonly mode: 'delta' | 'repo_state'
  readonly lineage: LineageName
  readonly candidates: number
  readonly seed: number
}

/** A step of a campaign in which the axes were refitted. */
export interface Refit {
  readonly before: CampaignState
  readonly after: CampaignState
}

export interface Played {
  readonly state: CampaignState
  readonly entries: readonly LedgerEntry[]
  /** By ordinal. */
  readonly kinds: ReadonlyMap<number, Kind>
  readonly refits: readonly Refit[]
}

interface Candidate {
  readonly edits: Edits
  readonly value: number
}

const NOW = new Date('2026-01-01T00:00:00Z')

/** Plays a whole campaign through the engine's own tick; only the agent and the evaluator are made up. */
export async function play(order: PlayOrder): Promise<Played> {
  const made = new Map<number, Candidate>([[0, { edits: new Map(), value: 1 }]])
  const kinds = new Map<number, Kind>()
  const entries: LedgerEntry[] = []
  const refits: Refit[] = []
  let state = begin(order)
  for (;;) {
    const before = state
    const event = await nextEvent()
    if (event === undefined) return { state, entries, kinds, refits }
    const ticked = tick(withTrees(state, event), [event], NOW).state
    entries.push(...ticked.ledger.tail.slice(before.ledger.tail.length))
    state = { ...ticked, ledger: { ...ticked.ledger, tail: [] } }
    if (state.projection.version > before.projection.version) refits.push({ before, after: state })
  }

  async function nextEvent(): Promise<CampaignEvent | undefined> {
    if (tick(state, [], NOW).effects.some(({ type }) => type === 'need-history'))
      return { type: 'history', entries }
    const [job] = [...state.jobs.values()]
      .filter(({ result }) => result === undefined)
      .sort((a, b) => a.ordinal - b.ordinal)
    if (job === undefined) return undefined
    return { type: 'finished', ordinal: job.ordinal, attempt: job.attempt, result: await work(job) }
  }

  async function work(job: Job): Promise<JobResult> {
    if (job.kind !== 'candidate')
      return measured({ ordinal: job.parent.ordinal, candidate: madeBy(job.parent.ordinal) })
    const { kind, domain, inherits, gain } = LINEAGES[order.lineage].draw(job.ordinal, order.seed)
    const parent = madeBy(job.parent.ordinal)
    const own = [...parent.edits].flatMap(([path, text]) => (text === undefined ? [] : [path]))
    const ground = {
      read: (path: string) =>
        parent.edits.has(path) ? parent.edits.get(path) : order.repository.files.get(path),
      paths: inherits && own.length > 0 ? own : order.repository.paths,
      domain,
    }
    const change = makeChange(kind, ground, rngFor(order.seed, job.ordinal, 'change'))
    const candidate = { edits: new Map([...parent.edits, ...change]), value: parent.value * (1 + gain) }
    made.set(job.ordinal, candidate)
    kinds.set(job.ordinal, kind)
    const embedding = await order.repository.describe(candidate.edits, order.mode)
    return measured({ ordinal: job.ordinal, candidate, embedding })
  }

  function madeBy(ordinal: number): Candidate {
    const candidate = made.get(ordinal)
    if (candidate === undefined) throw new RangeError(`play: candidate ${ordinal} was never made`)
    return candidate
  }
}

function begin({ mode, lineage, candidates, seed }: PlayOrder): CampaignState {
  const config = resolveCampaign(
    'space',
    campaignSchema.parse({
      goal: 'Fill the space.',
      scope: { editable: ['**'] },
      objectives: [{ metric: 'value', direction: 'maximize' }],
      evaluation: { command: 'true' },
      search: { policy: LINEAGES[lineage].policy, descriptor: mode, seed },
      limits: { candidates },
    }),
  )
  const root = { commit: idOf('commit', 0), tree: idOf('tree', 0), seconds: 0 }
  return createCampaign({
    id: 'space',
    config,
    order: 'ordinal',
    root,
    reserved: NO_USAGE,
    evaluator: '0'.repeat(64),
  })
}

function withTrees(state: CampaignState, event: CampaignEvent): CampaignState {
  const tree = event.type === 'finished' ? event.result.tree : undefined
  return tree === undefined ? state : { ...state, trees: new Map([[tree.slice(0, 2), new Map()]]) }
}

function measured({ ordinal, candidate, embedding }: Measured): JobResult {
  return {
    status: 'measured',
    commit: idOf('commit', ordinal),
    tree: idOf('tree', ordinal),
    metrics: { value: candidate.value },
    samples: [{ subject: 'candidate', stage: 'full', metrics: { value: candidate.value } }],
    change: { files: 1, linesAdded: 1, linesRemoved: 0 },
    embedding,
    summary: '',
    usage: NO_USAGE,
  }
}

interface Measured {
  readonly ordinal: number
  readonly candidate: Candidate
  readonly embedding?: LedgerEntry['embedding']
}

function idOf(what: string, ordinal: number): string {
  return createHash('sha1').update(`${what} ${ordinal}`).digest('hex')
}
