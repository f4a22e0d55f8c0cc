import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JobResult } from '../../src/core/campaign/job.ts'
import { STAGES, SUBJECTS } from '../../src/core/measuring/measurement.ts'
import { FAILURE_REASONS } from '../../src/core/measuring/verdict.ts'
import { archive, campaign } from '../../src/protocol/campaign.ts'
import { configDocument, createConfigDocument } from '../../src/protocol/config-document.ts'
import { job } from '../../src/protocol/job.ts'
import { ledgerEntry } from '../../src/protocol/ledger-entry.ts'
import {
  aCampaign,
  aConfig,
  anElite,
  anObjectId,
  aResult,
  LESS_TIME,
  MORE_SCORE,
} from '../support/builders.ts'
import { begun, finished, step } from '../support/campaign-steps.ts'
import { Documents } from '../support/documents.ts'
import { contentOf } from '../support/store.ts'

// JSON has one zero; -0 comes back as 0.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const amount = fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0)
const id = fc.nat().map(anObjectId)
const text = fc.string({ unit: 'binary', maxLength: 200 })
const metrics = fc.dictionary(fc.constantFrom('score', 'x', 'y', 'a.b', 'ops/s', 'constructor'), number)
const sample = fc.record({
  subject: fc.constantFrom(...SUBJECTS),
  stage: fc.constantFrom(...STAGES),
  metrics,
})
const usage = fc.record({ tokens: amount, dollars: amount, runnerMs: amount })
const change = fc.record({ files: fc.nat(), linesAdded: fc.nat(), linesRemoved: fc.nat() })

const result: fc.Arbitrary<JobResult> = fc.oneof(
  fc.record({
    status: fc.constant('measured' as const),
    commit: id,
    tree: id,
    metrics,
    samples: fc.array(sample, { maxLength: 3 }),
    change,
    summary: text,
    usage,
  }),
  fc.record({
    status: fc.constant('failed' as const),
    reason: fc.constantFrom(...FAILURE_REASONS),
    detail: text,
    tree: fc.option(id, { nil: undefined }),
    summary: fc.option(text, { nil: undefined }),
    usage,
  }),
  fc.record({ status: fc.constant('duplicate' as const), tree: id, summary: text, usage }),
)

describe('documents', () => {
  it('documents bring back any state that results can lead to', () => {
    const config = aConfig({ search: { window: 4 } })
    const start = begun(aCampaign({ config }))
    fc.assert(
      fc.property(fc.array(result, { maxLength: 4 }), fc.integer({ min: 1, max: 2 }), (results, first) => {
        const events = results.map((each, index) => finished(first + index, each))
        const { state } = step(start, ...events)
        const documents = new Documents(config)
        documents.save(state)
        expect(contentOf(documents.load(), config)).toEqual(contentOf(state, config))
      }),
      { seed: 30, numRuns: 100 },
    )
  })

  it('documents keep the whole config', () => {
    const objectives = [{ ...MORE_SCORE, target: 9, min: 0, max: 10 }, LESS_TIME]
    const axes = [{ kind: 'change' as const, change: 'churn' as const }]
    const config = aConfig({
      objectives,
      search: { policy: 'champion', axes, plateau: 9, cells: 50, warmUp: 3 },
      limits: { dollars: 1.5, tokens: 10, runnerMinutes: 3, wallClockMinutes: 0.5 },
    })
    expect(configDocument.parse(createConfigDocument(config))).toEqual(config)
  })
})

describe('strict parsing', () => {
  const { state } = step(begun(aCampaign()), finished(1))
  const [entry] = state.ledger.tail.slice(1)
  const openJob = state.jobs.get(2)

  it.each([
    ['campaign', campaign, state.campaign],
    ['job', job, openJob],
    ['job with its result', job, { ...openJob, result: aResult(2) }],
    ['ledger line', ledgerEntry, entry],
  ])('takes a %s as it is, and nothing beside it', (_name, schema, document) => {
    expect(schema.parse(document)).toEqual(document)
    expect(schema.safeParse({ ...document, extra: 1 }).success).toBe(false)
  })

  it.each([
    ['an admitted one without a cell', { status: 'admitted', as: 'new-cell' }],
    ['an improved one that replaced nobody', { status: 'admitted', as: 'improved', cell: '0-0' }],
    ['a cell that could not stand in a branch name', { status: 'admitted', as: 'new-cell', cell: '../x' }],
    ['a duplicate of nobody', { status: 'refused', reason: 'duplicate' }],
    ['a failure for an unknown reason', { status: 'refused', reason: 'bad luck', detail: '' }],
  ])('refuses the verdict: %s', (_case, verdict) => {
    expect(ledgerEntry.safeParse({ ...entry, verdict }).success).toBe(false)
  })

  it.each([
    ['a short commit', { commit: 'abc123' }],
    ['a commit in capitals', { commit: 'A'.repeat(40) }],
    ['a negative count', { change: { files: -1, linesAdded: 0, linesRemoved: 0 } }],
    ['a metric that is not finite', { metrics: { score: Number.POSITIVE_INFINITY } }],
    ['a negative cost', { usage: { tokens: -1, dollars: 0, runnerMs: 0 } }],
    ['a summary without end', { summary: 'x'.repeat(10_001) }],
  ])('refuses a result with %s', (_case, changes) => {
    expect(job.safeParse({ ...openJob, result: { ...aResult(2), ...changes } }).success).toBe(false)
  })

  it.each([
    ['no elite', []],
    ['a descriptor beyond its axes', [anElite({ descriptor: [0.5, 1.5] })]],
  ])('refuses a cell with %s', (_case, elites) => {
    const shape = { kind: 'grid', sizes: [4, 4] }
    const document = { epoch: 1, projection: 0, shape, islands: { main: { '2-2': elites } } }
    expect(archive.safeParse(document).success).toBe(false)
  })
})
