import { describe, expect, it } from 'vitest'
import { readRun } from '../sandbox/runner/runner-support.ts'
import { dispatchCase, readArtifacts, startCaseBox } from './case-box.ts'
import { loadCases } from './cases.ts'
import { findDifferences } from './differences.ts'

describe('workflows in the sandbox', () => {
  for (const one of loadCases()) {
    it(`the workflow ${one.name} gives GitHub's results in the sandbox`, async () => {
      const { box } = await startCaseBox(one, { path: process.env.PATH ?? '' })
      const id = await dispatchCase(box)
      await box.runner?.settled()
      const run = await readRun(box, id)
      const seen = {
        ...run,
        jobs: Object.fromEntries(run.jobs.map(({ name, conclusion }) => [name, conclusion])),
        logs: Object.fromEntries(run.jobs.map(({ name, log }) => [name, log])),
        artifacts: await readArtifacts(box, id),
      }
      expect(findDifferences(one.expected, seen)).toEqual([])
    })
  }
})
