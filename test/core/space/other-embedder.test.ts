import { describe, expect, it } from 'vitest'
import { rebuild } from '../../../src/core/archive/rebuild.ts'
import { NO_USAGE } from '../../../src/core/budget/budget.ts'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import type { CampaignEvent } from '../../../src/core/campaign/events.ts'
import type { Job, JobResult } from '../../../src/core/campaign/job.ts'
import { rngFor } from '../../../src/core/rng.ts'
import { type Embedding, encodeVector } from '../../../src/core/space/embedding.ts'
import { encodeCampaign } from '../../../src/store/encode.ts'
import { aCampaign, aConfig, aFailure, aResult } from '../../support/builders.ts'
import { finished, playOut, step, stepWithHistory } from '../../support/campaign-steps.ts'
import { Documents } from '../../support/documents.ts'

const LEARNED = { kind: 'learned' } as const
const config = aConfig({
  search: { descriptor: 'delta', axes: [LEARNED, LEARNED], cells: 16, window: 2, warmUp: 4 },
  limits: { candidates: 60, parallel: 2 },
})
const [FIRST, SECOND] = ['a'.repeat(64), 'b'.repeat(64)]
const EVALUATOR = 'e'.repeat(64)

const edit = (changes: Partial<CampaignEvent & { type: 'config' }> = {}): CampaignEvent => ({
  type: 'config',
  config,
  evaluator: EVALUATOR,
  embedder: SECOND,
  reserved: NO_USAGE,
  ...changes,
})

/** As many dimensions under both embedders: nothing but the epoch tells their vectors apart. */
function embeddingOf(ordinal: number, embedder: string): Embedding {
  const rng = rngFor(1, ordinal, embedder)
  const components = Array.from({ length: 6 }, () => rng.unit() - 0.5)
  return { vector: encodeVector(components, rng.unit()), files: [embedder.slice(0, 1)], terms: [] }
}

/** Runs as the hosts make them: a confirmation describes only when it is asked to. */
function runWith(embedder: string): (job: Job) => JobResult {
  return (job) => {
    const { ordinal, kind, parent, describes } = job
    const own = kind === 'candidate' ? ordinal : parent.ordinal
    const isDescribed = kind !== 'confirm' || describes === true
    return aResult(own, {
      ...measuredAgain(job),
      metrics: { score: 1 + (own % 7) },
      embedding: isDescribed ? embeddingOf(own, embedder) : undefined,
    })
  }
}

function measuredAgain({ kind, parent }: Job) {
  return kind === 'candidate' ? {} : { commit: parent.commit, tree: parent.tree }
}

/** Plays so many results. */
function play(before: CampaignState, results: number, resultOf: (job: Job) => JobResult): CampaignState {
  let state = before
  for (let played = 0; played < results; played++) {
    const [job] = [...state.jobs.values()].sort((a, b) => a.ordinal - b.ordinal)
    if (job === undefined) break
    state = stepWithHistory(state, finished(job.ordinal, resultOf(job), job.attempt)).state
    expectRebuildable(state)
  }
  return state
}

function expectRebuildable(state: CampaignState): void {
  const { archive, projection } = rebuild(state, state.ledger.tail)
  expect(JSON.stringify(projection)).toBe(JSON.stringify(state.projection))
  expect(archive.members()).toEqual(state.archive.members())
}

function isRenewal({ purpose }: Job): boolean {
  return purpose === 'epoch'
}

describe.each(['ordinal', 'arrival'] as const)('another embedder, in %s order', (order) => {
  const before = play(aCampaign({ config, order, embedder: FIRST }), 40, runWith(FIRST))
  const elites = before.archive.members().filter(({ elite }) => elite.ordinal !== 0)
  const edited = step(before, edit()).state
  const rooted = play(edited, 1, runWith(SECOND))

  it('begins an epoch and a space that knows nothing yet', () => {
    expect(before.projection.version).toBeGreaterThan(0)
    expect(elites.length).toBeGreaterThanOrEqual(8)
    expect(edited.campaign).toMatchObject({ epoch: 2, embedder: SECOND, space: { since: 2, described: 0 } })
    expect(edited.projection.version).toBe(0)
  })

  it('a new embedder embeds the elites again and fits the axes on all of them at once', () => {
    const renewals = [...rooted.jobs.values()].filter(isRenewal)
    expect(renewals).toHaveLength(elites.length)
    expect(renewals.every(({ describes }) => describes === true)).toBe(true)
    const almost = play(rooted, elites.length - 1, runWith(SECOND))
    expect(almost.projection.version).toBe(0)
    const renewed = play(almost, 1, runWith(SECOND))
    expect(renewed.projection).toMatchObject({ version: 1, fittedAt: elites.length })
    // Names are made of files: none is from a vector of the first embedder.
    expect(JSON.stringify(renewed.projection.names)).not.toContain('"a"')
    expect(renewed.archive.members().length).toBeGreaterThan(2)
  })

  it('carries on to its end, and every step is a function of the ledger', () => {
    const done = play(rooted, 200, runWith(SECOND))
    expect(done.campaign.status.phase).toBe('finished')
    expect(done.projection.version).toBeGreaterThan(1)
    const documents = new Documents(config)
    documents.save(done)
    expect(encodeCampaign({ state: documents.load(), config })).toEqual(
      encodeCampaign({ state: done, config }),
    )
  })

  it('a space begins again if the evaluator changes before all elites are embedded', () => {
    const half = play(rooted, Math.floor(elites.length / 2), runWith(SECOND))
    const again = step(half, edit({ evaluator: 'f'.repeat(64) })).state
    expect(again.campaign.space).toMatchObject({ since: 3, described: 0 })
    const renewals = [...play(again, 1, runWith(SECOND)).jobs.values()].filter(isRenewal)
    expect(renewals.filter(({ describes }) => describes === true)).toHaveLength(elites.length)
    const done = play(again, 200, runWith(SECOND))
    expect(done.projection.version).toBeGreaterThan(0)
  })

  it('keeps the space when something else measures later', () => {
    const settled = play(rooted, elites.length + 4, runWith(SECOND))
    const again = step(settled, edit({ evaluator: 'f'.repeat(64) })).state
    expect(again.campaign.space?.since).toBe(2)
    expect(again.projection).toEqual(settled.projection)
    play(again, 200, runWith(SECOND))
  })

  it('goes on when an elite fails under way', () => {
    const last = [...rooted.jobs.values()].filter(isRenewal).at(-1)
    const done = play(rooted, 200, (job) =>
      job.ordinal === last?.ordinal ? aFailure() : runWith(SECOND)(job),
    )
    expect(done.projection.version).toBeGreaterThan(0)
  })
})

describe('the same embedder', () => {
  const begun = play(aCampaign({ config, embedder: FIRST }), 12, runWith(FIRST))

  it('begins nothing', () => {
    expect(step(begun, edit({ embedder: FIRST })).state.campaign).toMatchObject({ epoch: 1, embedder: FIRST })
  })

  it('a state without a recorded embedder counts as unchanged', () => {
    const old = { ...begun, campaign: { ...begun.campaign, embedder: undefined } }
    expect(step(old, edit()).state.campaign.epoch).toBe(1)
  })

  it('confirmations do not change embeddings unless they were asked to', () => {
    const again = step(begun, edit({ embedder: FIRST, evaluator: 'f'.repeat(64) })).state
    const asked = playOut(again, (job) =>
      aResult(job.ordinal, { ...measuredAgain(job), embedding: embeddingOf(9, SECOND) }),
    )
    const confirmed = asked.ledger.tail.filter(({ kind }) => kind === 'confirm')
    expect(confirmed.length).toBeGreaterThan(0)
    expect(confirmed.every(({ embedding }) => embedding === undefined)).toBe(true)
  })
})
