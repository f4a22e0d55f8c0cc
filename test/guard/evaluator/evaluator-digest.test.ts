import { describe, expect, it } from 'vitest'
import type { EvaluationConfig } from '../../../src/config/campaign-config.ts'
import type { Objective } from '../../../src/core/measuring/objective.ts'
import { digestEvaluator } from '../../../src/guard/evaluator/evaluator-digest.ts'
import { LESS_TIME, MORE_SCORE } from '../../support/builders.ts'
import { anEvaluation } from '../../support/workbench.ts'

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

async function digest(
  changes: Partial<EvaluationConfig>,
  files: Readonly<Record<string, string>> = {},
  objectives: readonly Objective[] = [MORE_SCORE],
): Promise<string> {
  const rootFiles = Object.entries({ ...FILES, ...files }).map(([path, blob]) => ({
    ...{ path, pathBytes: Buffer.from(path), mode: '100644', blob },
  }))
  return await digestEvaluator(
    { evaluation: { ...EVALUATION, ...changes }, objectives },
    rootFiles,
    async () => '',
  )
}

describe('the digest of an evaluator', () => {
  it.each(['bench.mjs', 'quick.mjs', 'unseen.mjs', 'unseen/inputs.json', 'package-lock.json'])(
    'changes with %s',
    async (path) => {
      expect(await digest({}, { [path]: 'other' })).not.toBe(await digest({}))
    },
  )

  it.each([
    'deno.lock',
    'pdm.lock',
    'mix.lock',
    'pubspec.lock',
    'flake.lock',
    'app/packages.lock.json',
    'Package.resolved',
    'requirements/base.txt',
    'pylock.toml',
    'gems.locked',
  ])('changes with the versions pinned in %s', async (path) => {
    expect(await digest({}, { [path]: 'one' })).not.toBe(await digest({}, { [path]: 'other' }))
  })

  it('changes with the quick and the held-out command', async () => {
    const command = 'node bench.mjs --less'
    const digests = await Promise.all(
      [{}, { quick: { ...stage, command } }, { heldOut: { ...stage, command } }].map((changes) =>
        digest(changes),
      ),
    )
    expect(new Set(digests).size).toBe(3)
  })

  it('changes with the objectives, but not with the target that ends the search', async () => {
    expect(await digest({}, {}, [LESS_TIME])).not.toBe(await digest({}))
    expect(await digest({}, {}, [{ ...MORE_SCORE, max: 4 }])).not.toBe(await digest({}))
    expect(await digest({}, {}, [{ ...MORE_SCORE, target: 4 }])).toBe(await digest({}))
  })

  it('stays when limits and sampling change', async () => {
    const sampling = { minPairs: 4, maxPairs: 8, confidence: 0.9 }
    expect(await digest({ sampling, timeoutSeconds: 7, baselineRuns: 9, smallestGain: 1 })).toBe(
      await digest({}),
    )
  })

  it('stays when a file changes that measures nothing', async () => {
    expect(await digest({}, { 'src/a.js': 'other' })).toBe(await digest({}))
  })

  it('changes with what a gate expects, and only then', async () => {
    const gate = { name: 'g', command: 'npm test', timeoutSeconds: 1 }
    const plain = await digest({ gates: [gate] })
    expect(await digest({ gates: [{ ...gate, expect: undefined }] })).toBe(plain)
    expect(await digest({ gates: [{ ...gate, expect: { output: 'ok' } }] })).not.toBe(plain)
  })
})
