import { describe, expect, it } from 'vitest'
import { renderBrief } from '../../src/agents/brief/render.ts'
import { createCampaignGuard } from '../../src/guard/campaign-guard.ts'
import { findScopeExceptions } from '../../src/guard/scope-exceptions.ts'
import { aBrief } from '../support/builders.ts'
import { anEvaluation } from '../support/workbench.ts'

const scope = {
  ...{ editable: ['src/**'], protected: ['src/fixed/**'], allowManifests: false },
  ...{ maxFiles: 9, maxLines: 9, maxFileBytes: 999, maxChangeBytes: 999 },
}
const PLAIN = ['.github/workflows/ci.yml', 'bench.mjs', 'package.json', 'src/a.js', 'src/fixed/b.js']

async function find(paths: readonly string[], gate: string) {
  const gates = [{ name: 'g', command: gate, timeoutSeconds: 1 }]
  const evaluation = anEvaluation({ command: 'node bench.mjs', gates })
  const files = paths.map((path) => ({ path, blob: path, mode: '100644' }))
  return findScopeExceptions(await createCampaignGuard({ scope, evaluation }, files, async () => ''), paths)
}

describe('what stays protected within the scope', () => {
  it('nothing does where the config says it all, and the brief stays as it was', async () => {
    const exceptions = await find(PLAIN, 'node --check src/*.js')
    expect(exceptions).toEqual([])
    const brief = aBrief({ operator: 'fresh' })
    expect(renderBrief({ ...brief, scope: { ...brief.scope, exceptions } }, new Map())).toBe(
      renderBrief(brief, new Map()),
    )
  })

  it('a file that a gate names is told to the agent', async () => {
    const exceptions = await find([...PLAIN, 'src/sum.js'], 'node ./src/sum.js')
    expect(exceptions).toEqual([{ why: "the evaluator's own files", paths: ['src/sum.js'] }])
    const brief = aBrief({ operator: 'fresh', scope: { editable: ['src/**'], protected: [], exceptions } })
    expect(renderBrief(brief, new Map())).toContain(
      "- You may change: `src/**`.\n- Protected although these patterns match, as the evaluator's own files: `src/sum.js`.\n",
    )
  })

  it('every rule of the guard about existing files is told with its files', async () => {
    const paths = [
      'src/.github/x.yml',
      'src/package.json',
      'src/CMakeLists.txt',
      'src/conftest.py',
      'src/a.snap',
    ]
    expect(await find(paths, 'true')).toEqual([
      { why: 'manifests, lockfiles and build files', paths: ['src/CMakeLists.txt', 'src/package.json'] },
      { why: 'files that tools load by themselves', paths: ['src/conftest.py'] },
      { why: 'recorded expectations of tests', paths: ['src/a.snap'] },
      { why: 'files that control the repository, CI or agents', paths: ['src/.github/x.yml'] },
    ])
  })

  it('a long list is cut in the brief', () => {
    const paths = Array.from({ length: 12 }, (_, n) => `src/${n}`)
    const scope = { editable: ['src/**'], protected: [], exceptions: [{ why: 'x', paths }] }
    expect(renderBrief(aBrief({ scope }), new Map())).toContain('`src/9` and 2 more.\n')
  })
})
