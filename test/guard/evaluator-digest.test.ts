import { describe, expect, it } from 'vitest'
import type { EvaluationConfig } from '../../src/config/campaign-config.ts'
import type { Objective } from '../../src/core/objective.ts'
import { digestEvaluator } from '../../src/guard/evaluator-digest.ts'
import { LESS_TIME, MORE_SCORE } from '../support/builders.ts'
import { anEvaluation } from '../support/workbench.ts'

const FILES = {
  'bench.mjs': 'b',
  'quick.mjs': 'q',
  'unseen.mjs': 'u',
  'unseen/inputs.json': 'i',
  'package-lock.json': 'l',
  'src/a.js': 'a',
}
const stage = { timeoutSeconds: 1, tolerance: 0.5, paths: ['unseen'] }
const EVALUATION = anEvaluation({
  command: 'node bench.mjs',
  quick: { ...stage, command: 'node quick.mjs' },
  heldOut: { ...stage, command: 'node unseen.mjs' },
})

function digest(
  changes: Partial<EvaluationConfig>,
  files: Readonly<Record<string, string>> = {},
  objectives: readonly Objective[] = [MORE_SCORE],
): string {
  const rootFiles = Object.entries({ ...FILES, ...files }).map(([path, blob]) => ({
    ...{ path, pathBytes: Buffer.from(path), mode: '100644', blob },
  }))
  return digestEvaluator({ evaluation: { ...EVALUATION, ...changes }, objectives }, rootFiles)
}

describe('the digest of an evaluator', () => {
  it.each(['bench.mjs', 'quick.mjs', 'unseen.mjs', 'unseen/inputs.json', 'package-lock.json'])(
    'changes with %s',
    (path) => {
      expect(digest({}, { [path]: 'other' })).not.toBe(digest({}))
    },
  )

  it('changes with the quick and the held-out command', () => {
    const command = 'node bench.mjs --less'
    const digests = [{}, { quick: { ...stage, command } }, { heldOut: { ...stage, command } }].map(
      (changes) => digest(changes),
    )
    expect(new Set(digests).size).toBe(3)
  })

  it('changes with the objectives, but not with the target that ends the search', () => {
    expect(digest({}, {}, [LESS_TIME])).not.toBe(digest({}))
    expect(digest({}, {}, [{ ...MORE_SCORE, max: 4 }])).not.toBe(digest({}))
    expect(digest({}, {}, [{ ...MORE_SCORE, target: 4 }])).toBe(digest({}))
  })

  it('stays when limits and sampling change', () => {
    const sampling = { minPairs: 4, maxPairs: 8, confidence: 0.9 }
    expect(digest({ sampling, timeoutSeconds: 7, baselineRuns: 9, smallestGain: 1 })).toBe(digest({}))
  })

  it('stays when a file changes that measures nothing', () => {
    expect(digest({}, { 'src/a.js': 'other' })).toBe(digest({}))
  })
})
