import { describe, expect, it } from 'vitest'
import type { EvaluationConfig } from '../../src/config/campaign-config.ts'
import { digestEvaluator } from '../../src/pipeline/evaluator-digest.ts'
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

function digest(changes: Partial<EvaluationConfig>, files: Readonly<Record<string, string>> = {}): string {
  const rootFiles = Object.entries({ ...FILES, ...files }).map(([path, blob]) => ({
    ...{ path, pathBytes: Buffer.from(path), mode: '100644', blob },
  }))
  return digestEvaluator({ ...EVALUATION, ...changes }, rootFiles)
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

  it('stays when a file changes that measures nothing', () => {
    expect(digest({}, { 'src/a.js': 'other' })).toBe(digest({}))
  })
})
