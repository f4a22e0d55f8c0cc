import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DispatchInputs } from '../../src/protocol/dispatch.ts'
import { findRepository } from '../../src/sandbox/state/lookups.ts'
import {
  builtAction,
  type FinishedRun,
  proposalOf,
  readFinished,
  startCampaignBox,
  TEMPLATE,
} from '../e2e/action-box.ts'
import { readRun } from '../sandbox/runner/runner-support.ts'
import { REPO } from '../sandbox/support.ts'
import { executeByAct, standInFor } from './act-run.ts'

const act = process.env.ACT_BIN ?? 'act'

const FILES = {
  '.loreley.yml': `
goal: Smaller numbers.
scope: { editable: [src/**] }
objectives: [{ metric: score, direction: minimize }]
evaluation: { command: node "$LORELEY_TRUSTED/evaluate.mjs" }
`,
  'src/a.mjs': 'export const a = 12\nexport const b = 30\n',
  'evaluate.mjs': `import { pathToFileURL } from 'node:url'
const { a, b } = await import(pathToFileURL(process.cwd() + '/src/a.mjs'))
console.log(a + b)
`,
}

describe('the workflow that users copy, unchanged, under act', () => {
  it('the copied workflow makes a candidate and measures the proposed tree under act', async () => {
    const finished = await runTemplate('candidate')
    expect([...finished.artifacts.keys()].sort()).toEqual(['proposal', 'result'])
    const proposed = proposalOf(finished).outcome
    const tree = proposed.status === 'proposed' ? proposed.tree : 'none'
    expect(finished.result?.outcome).toMatchObject({ status: 'measured', tree })
  })

  // act passes on the outputs of a skipped job as unevaluated expressions.
  it.each(['baseline', 'confirm', 'validate'] as const)(
    'the copied workflow measures a %s without a proposal under act',
    async (kind) => {
      const finished = await runTemplate(kind)
      expect([...finished.artifacts.keys()]).toEqual(['result'])
      expect(finished.result).toMatchObject({ kind, outcome: { status: 'measured', metrics: { score: 42 } } })
    },
  )
})

/** One run of the template, queued in the sandbox and executed by act. */
async function runTemplate(kind: DispatchInputs['kind']): Promise<FinishedRun> {
  const waits = kind === 'validate' ? {} : { kind }
  const { box, order, orders } = await startCampaignBox({ files: FILES, ...waits })
  const repo = findRepository(box.box.store, REPO.owner, REPO.repo)
  if (repo === undefined) throw new Error('the repository was not seeded')
  const folder = await mkdtemp(join(tmpdir(), 'loreley-act-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const byHand = { kind, candidate: '', state: '', root: '', base: '', nonce: '' }
  const runId = await order(kind === 'validate' ? byHand : orders)
  const run = { box, repo, runId, folder, secrets: {}, workflow: 'loreley.yml', machine: 'ubuntu-24.04' }
  const ended = await executeByAct(act, { ...run, actions: actionsOf(TEMPLATE) })
  expect(ended.exitCode, ended.stdout).toBe(0)
  return await readFinished(box, await readRun(box, runId))
}

// act has no network here, so each action of the template is mapped to a folder.
function actionsOf(template: string): (readonly [uses: string, folder: string])[] {
  const named = new Set([...template.matchAll(/uses: (\S+)/g)].map(([, uses = '']) => uses))
  return [...named].map((uses) => {
    const [, owner, name, ref] = /^([^/]+)\/([^/@]+).*@(.+)$/.exec(uses) ?? []
    return [`${owner}/${name}@${ref}`, owner === 'actions' ? standInFor(name ?? '') : builtAction()] as const
  })
}
