import { describe, expect, it } from 'vitest'
import { findBest } from '../../../src/core/archive/archive.ts'
import { challenge, leadOn } from '../../../src/core/archive/comparison.ts'
import { pairUp, runsOf, type Sample, summarise } from '../../../src/core/measuring/measurement.ts'
import { planMeasurement } from '../../../src/core/measuring/measurement-plan.ts'
import { drawTurns } from '../../../src/core/measuring/stats/turns.ts'
import { rngFor } from '../../../src/core/rng.ts'
import { aConfig, anArchive, anElite, anObjectId, LESS_TIME, MORE_SCORE } from '../../support/builders.ts'

const sampling = { minPairs: 6, maxPairs: 20, confidence: 0.995 }

/** Runs in blocks of root, candidate, candidate, root, on a machine whose speed the block's factor gives. */
function runs(blocks: readonly (readonly number[])[], metric = 'score'): Sample[] {
  const subjects = ['root', 'candidate', 'candidate', 'root'] as const
  return blocks.flatMap((block) =>
    block.map((value, index) => ({
      subject: subjects[index] ?? 'root',
      stage: 'full' as const,
      metrics: { [metric]: value, x: 0.5, y: 0.5 },
    })),
  )
}

const noisy = { metrics: { score: 100, x: 0.5, y: 0.5 }, deterministic: false }

describe('summarise', () => {
  it('takes the speed of the machine out', () => {
    const blocks = [1, 2, 0.5, 3, 1, 4].map((speed) => [10, 11, 11, 10].map((value) => value * speed))
    const { metrics, interval } = summarise(runs(blocks), [MORE_SCORE], { reference: noisy, sampling })
    expect(metrics.score).toBeCloseTo(110, 8)
    expect(interval?.low[0]).toBeCloseTo(110, 8)
    expect(metrics.x).toBe(0.5)
  })

  it('takes a steady drift out', () => {
    const blocks = Array.from({ length: 6 }, (_, block) =>
      [0, 1, 2, 3].map((run) => 100 * Math.exp(0.01 * (4 * block + run))),
    )
    const { metrics } = summarise(runs(blocks), [MORE_SCORE], { reference: noisy, sampling })
    expect(metrics.score).toBeCloseTo(100, 6)
  })

  it('compares by differences where a number is not positive', () => {
    const blocks = Array.from({ length: 5 }, () => [-1, 2, 2, -1])
    expect(pairUp(runs(blocks), 'score', 'full')).toMatchObject({
      scale: 'difference',
      differences: Array(10).fill(3),
    })
    const { metrics } = summarise(runs(blocks), [MORE_SCORE], { reference: noisy, sampling })
    expect(metrics.score).toBe(103)
  })

  it('gives the number itself where the evaluator is deterministic', () => {
    const [, candidate] = runs([[1, 7, 7, 1]])
    const reference = { ...noisy, deterministic: true }
    expect(summarise(candidate ? [candidate] : [], [MORE_SCORE], { reference, sampling })).toEqual({
      metrics: { score: 7, x: 0.5, y: 0.5 },
    })
  })
})

describe('runsOf', () => {
  const at = (stage: Sample['stage'], subject: Sample['subject'], score: number): Sample => ({
    stage,
    subject,
    metrics: { score },
  })

  it('keeps the numbers of every stage, run by run', () => {
    const samples = [
      at('quick', 'root', 1),
      at('quick', 'candidate', 2),
      at('full', 'root', 3),
      at('full', 'candidate', 4),
      at('held-out', 'root', 5),
      at('held-out', 'candidate', 6),
    ]
    expect(runsOf(samples, [MORE_SCORE])).toEqual({
      candidate: [[4]],
      root: [[3]],
      quick: { candidate: [[2]], root: [[1]] },
      heldOut: { candidate: [[6]], root: [[5]] },
    })
  })

  it('runsOf lists runs pair by pair', () => {
    const samples = [
      at('full', 'root', 1),
      at('full', 'candidate', 2),
      at('full', 'root', 3),
      at('full', 'root', 4),
      at('full', 'candidate', 5),
      at('full', 'candidate', 6),
      at('full', 'candidate', 7),
      at('full', 'root', 8),
    ]
    const { candidate, root } = runsOf(samples, [MORE_SCORE]) ?? { candidate: [], root: [] }
    const ratios = candidate.map(([own = 0], index) => Math.log(own / (root[index]?.[0] ?? 0)))
    expect(ratios).toEqual(pairUp(samples, 'score', 'full').differences)
  })

  it('runsOf returns undefined for a single run', () => {
    expect(runsOf([at('full', 'candidate', 1)], [MORE_SCORE])).toBeUndefined()
  })
})

describe('runs and their partners', () => {
  const at = (subject: Sample['subject'], score: number): Sample => ({
    subject,
    stage: 'full',
    metrics: { score },
  })

  it('pairUp pairs runs that followed the same subject', () => {
    const samples = [at('root', 1), at('root', 2), at('candidate', 4), at('candidate', 8)]
    const runs = [...samples, at('root', 16), at('candidate', 32), at('candidate', 64), at('root', 128)]
    // After a root: roots 1 and 2, candidates 4 and 32. After a candidate: roots 16 and 128, candidates 8 and 64.
    const { differences, scale } = pairUp(runs, 'score', 'full')
    expect(scale).toBe('ratio')
    expect(differences.map((each) => Math.round(2 ** (each / Math.LN2) * 1000) / 1000)).toEqual([
      4, 0.5, 16, 0.5,
    ])
  })

  it('pairUp pairs what is left over in order, as earlier versions ran it', () => {
    const runs = ['root', 'candidate', 'candidate', 'root', 'candidate', 'root', 'root', 'candidate'] as const
    expect(
      pairUp(
        runs.map((subject) => at(subject, 1)),
        'score',
        'full',
      ).differences,
    ).toHaveLength(4)
  })

  it('a candidate that slows the next run down gains nothing by it', () => {
    for (let seed = 1; seed <= 20; seed++) {
      let before = ''
      const turns = drawTurns<Sample['subject']>([6, 4, 6], ['root', 'candidate'], rngFor(seed, 0, 'turns'))
      const samples = turns.flat().flatMap(({ subject, isLead }) => {
        const speed = before === 'candidate' ? 0.98 : 1
        before = subject
        return isLead ? [] : [at(subject, speed)]
      })
      const { differences } = pairUp(samples, 'score', 'full')
      expect(differences).toEqual(Array.from({ length: 16 }, () => 0))
    }
  })
})

describe('challenge', () => {
  const exact = (...value: number[]) => ({ value })
  const about = (value: number, width: number) => ({
    value: [value],
    interval: { low: [value - width], high: [value + width] },
  })

  it('challenge reproduces the published limits of a difference (Newcombe 1998, table II, method 10: 56 of 70 against 48 of 80)', () => {
    // Wilson's limits of each share; their difference of 0.2 lies between 0.0524 and 0.3339.
    const other = { value: [0.6], interval: { low: [0.49045], high: [0.7004] } }
    const lessBy = (shift: number) => ({
      value: [0.8 - shift],
      interval: { low: [0.69184 - shift], high: [0.87696 - shift] },
    })
    const leads = [0.0523, 0.0525, 0.3338, 0.334].map((shift) => leadOn(lessBy(shift), other, MORE_SCORE, 0))
    expect(leads).toEqual(['better', 'ahead', 'behind', 'worse'])
  })

  it('challenge compares exactly without noise', () => {
    expect(challenge(exact(2), exact(1), [MORE_SCORE])).toBe('better')
    expect(challenge(exact(1), exact(1), [MORE_SCORE])).toBe('tie')
    expect(challenge(exact(1), exact(2), [MORE_SCORE])).toBe('not-better')
    expect(challenge(exact(1), exact(2), [LESS_TIME])).toBe('better')
    expect(challenge(exact(1, 1), exact(1, 2), [MORE_SCORE, LESS_TIME])).toBe('better')
  })

  it('lets the noise of both sides count', () => {
    expect(challenge(about(10, 3), about(4, 4), [MORE_SCORE])).toBe('better')
    expect(challenge(about(10, 3), about(5, 4), [MORE_SCORE])).toBe('close-call')
    expect(challenge(about(5, 4), about(10, 3), [MORE_SCORE])).toBe('not-better')
    expect(challenge(about(4, 4), about(10, 3), [LESS_TIME])).toBe('better')
  })

  it('calls best the oldest that no other stands out from', () => {
    const elites = [about(10, 3), about(11, 3), about(20, 3), about(21, 3)].map((standing, index) =>
      anElite({ ordinal: index + 1, descriptor: [index / 4, 0], ...standing }),
    )
    expect(findBest(anArchive(elites), [MORE_SCORE])?.ordinal).toBe(3)
  })

  it('settles a close call for what stands out from the best of all', () => {
    const holder = anElite({ ordinal: 2, descriptor: [0, 0], ...about(11, 3) })
    const archive = anArchive([anElite({ ordinal: 1, descriptor: [0.9, 0], value: [10] }), holder])
    const close = anElite({ ordinal: 3, descriptor: [0, 0], ...about(12.5, 2.6) })
    expect(archive.add(close)).toMatchObject({ status: 'refused', reason: 'close-call', holder: 2 })
    const clear = anElite({ ordinal: 4, descriptor: [0, 0], ...about(13, 2.6) })
    expect(archive.add(clear)).toMatchObject({ status: 'improved', replaced: 2 })
  })
})

describe('planMeasurement', () => {
  const parent = { ordinal: 1, commit: anObjectId(1), tree: anObjectId(2) }
  const job = {
    ordinal: 2,
    attempt: 1,
    kind: 'candidate' as const,
    operator: 'mutate' as const,
    parent,
    inspirations: [],
  }
  const config = aConfig()
  const archive = anArchive([anElite({ ordinal: 1, value: [2] })])
  const campaignWith = (deterministic: boolean) => ({
    baseline: { metrics: { score: 1 }, value: [1], deterministic },
  })

  it('repeats the root first', () => {
    expect(planMeasurement({ campaign: {}, config, archive }, { ...job, kind: 'baseline' })).toEqual({
      kind: 'baseline',
      runs: 3,
      noisyRuns: 12,
    })
  })

  it('measures once where numbers never vary, else in pairs against what the parent has', () => {
    expect(planMeasurement({ campaign: campaignWith(true), config, archive }, job)).toMatchObject({
      kind: 'once',
    })
    expect(planMeasurement({ campaign: campaignWith(false), config, archive }, job)).toMatchObject({
      kind: 'paired',
      bar: Math.log(2),
      heldOut: { least: 0, most: 0 },
    })
  })

  it('takes all pairs, and the held-out command, to confirm', () => {
    expect(
      planMeasurement({ campaign: campaignWith(false), config, archive }, { ...job, kind: 'confirm' }),
    ).toMatchObject({ sampling: { minPairs: 20, maxPairs: 20 }, bar: 0, heldOut: { least: 20, most: 20 } })
  })

  it('looks twice at what was held out, and on where the numbers differ there', () => {
    expect(
      planMeasurement({ campaign: campaignWith(true), config, archive }, { ...job, kind: 'confirm' }),
    ).toEqual({ kind: 'once', heldOut: { least: 2, most: 20 } })
  })
})
