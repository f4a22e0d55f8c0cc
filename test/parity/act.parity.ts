import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runUnderAct } from './act-run.ts'
import { loadCases } from './cases.ts'
import { findDifferences } from './differences.ts'

const act = process.env.ACT_BIN ?? 'act'

/** Runs the sandbox's cases unchanged under act, an independent implementation. */
describe('workflows under act', () => {
  for (const one of loadCases()) {
    const how = one.expected.act
    if ('leftOut' in how) {
      it.skip(`${one.name} (left out: ${how.leftOut})`)
      continue
    }
    it(`the workflow ${one.name} gives the same results under act, except the listed differences`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'loreley-act-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true }))
      const seen = await runUnderAct(act, one, folder)
      expect(findDifferences(one.expected, seen)).toEqual(Object.keys(how.deviations))
    })
  }
})
