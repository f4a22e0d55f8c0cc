import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { readSingleFile } from '../../src/github/runs/artifact-zip.ts'
import { dispatchRun } from '../../src/github/runs/dispatch.ts'
import { collectResults, type ExpectedResults } from '../../src/github/runs/run-results.ts'
import type { ResultDocument } from '../../src/protocol/result.ts'
import { removeArtifact } from '../../src/sandbox/actions/artifacts/artifacts.ts'
import { writeZip } from '../../src/sandbox/actions/runs/zip.ts'
import { aProposal, aResultDocument, bytesOf } from '../support/artifacts.ts'
import { anObjectId } from '../support/builders.ts'
import { aGitHubWithWorkflow, ORDER, upload } from './a-run.ts'

const { kind, candidate, nonce } = ORDER.inputs
const base = anObjectId('commit 3')
const tree = anObjectId('tree 7')

/** A run that has left its proposal, and what we expect of it. */
async function aProposedRun() {
  const github = await aGitHubWithWorkflow()
  const outcome = await dispatchRun(github.api(), ORDER)
  const runId = outcome.status === 'dispatched' ? outcome.runId : 0
  const artifactId = upload(github, runId, 'proposal', aProposal())
  const binding = { artifactId, tree }
  const job = { kind, candidate, attempt: 1, nonce, binding, base }
  const expected: ExpectedResults = { runId, conclusion: 'success', ...job }
  return { github, runId, artifactId, expected, api: github.api() }
}

describe('what a run left', () => {
  it('reads the results of a run in three requests', async () => {
    const { github, runId, expected, api } = await aProposedRun()
    upload(github, runId, 'result', aResultDocument())
    const counts = await github.count(async () => {
      expect(await collectResults(api, expected)).toEqual({
        status: 'collected',
        result: aResultDocument(),
        proposal: aProposal(),
      })
    })
    expect(counts).toEqual({
      'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts': 1,
      'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}': 2,
    })
  })

  it('reads the proposal of an invalid candidate for its cost', async () => {
    const { github, runId, expected, api } = await aProposedRun()
    const outcome = { status: 'failed', reason: 'gate-failed', detail: 'exit 1' } as const
    upload(github, runId, 'result', aResultDocument({ outcome }))
    const counts = await github.count(async () => {
      const collected = { status: 'collected', result: { outcome }, proposal: aProposal() }
      expect(await collectResults(api, expected)).toMatchObject(collected)
    })
    expect(Object.values(counts)).toEqual([1, 2])
  })

  it('needs no proposal when the tree was known before: nothing was evaluated', async () => {
    const { github, runId, expected, api } = await aProposedRun()
    const outcome = { status: 'duplicate', tree } as const
    upload(github, runId, 'result', aResultDocument({ outcome }))
    const unbound = { ...expected, binding: undefined }
    expect(await collectResults(api, unbound)).toMatchObject({ status: 'collected', result: { outcome } })
  })

  it('reads the result of a run that broke before it knew its attempt', async () => {
    const { github, runId, expected, api } = await aProposedRun()
    const outcome = { status: 'failed', reason: 'infrastructure', code: 'step-failed', detail: '' } as const
    upload(github, runId, 'result', aResultDocument({ outcome }))
    const second = { ...expected, attempt: 2, binding: undefined }
    expect(await collectResults(api, second)).toMatchObject({ status: 'collected', result: { outcome } })
  })

  it('reports a missing result when the run broke', async () => {
    const { expected, api } = await aProposedRun()
    expect(await collectResults(api, expected)).toMatchObject({ status: 'failed', fault: 'result-missing' })
  })

  it('refuses a proposal that was replaced after it was bound', async () => {
    const { github, runId, artifactId, expected, api } = await aProposedRun()
    removeArtifact(github.box.box, artifactId)
    upload(github, runId, 'proposal', aProposal())
    upload(github, runId, 'result', aResultDocument())
    expect(await collectResults(api, expected)).toMatchObject({ status: 'failed', fault: 'artifact-swapped' })
  })

  // A forged one that stands there before ours keeps our own step from handing its result on.
  it('refuses a measurement when the run did not succeed', async () => {
    const { github, runId, expected, api } = await aProposedRun()
    upload(github, runId, 'result', aResultDocument())
    const ended = { ...expected, conclusion: 'failure' }
    expect(await collectResults(api, ended)).toMatchObject({ status: 'failed', fault: 'artifact-swapped' })
  })

  it('refuses a run with too many artifacts', async () => {
    const { github, runId, expected, api } = await aProposedRun()
    upload(github, runId, 'result', aResultDocument())
    for (let count = 0; count < 100; count++) upload(github, runId, `more ${count}`, {})
    expect(await collectResults(api, expected)).toMatchObject({ fault: 'artifact-swapped' })
  })

  it.each<[string, Partial<ResultDocument>]>([
    ['another candidate', { candidate: 'demo-0008' }],
    ['another attempt', { attempt: 2 }],
    ['another dispatch', { nonce: 'someone-elses' }],
    ['another kind', { kind: 'baseline' }],
    [
      'another tree',
      { outcome: { status: 'measured', tree: anObjectId('other'), metrics: { score: 9 }, samples: [] } },
    ],
  ])('refuses a result of %s', async (_case, changes) => {
    const { github, runId, expected, api } = await aProposedRun()
    upload(github, runId, 'result', aResultDocument(changes))
    expect(await collectResults(api, expected)).toMatchObject({ fault: 'artifact-swapped' })
  })

  it('refuses a proposal of another base or tree', async () => {
    const { github, runId, expected, api } = await aProposedRun()
    upload(github, runId, 'result', aResultDocument())
    const other = { ...expected, base: anObjectId('elsewhere') }
    expect(await collectResults(api, other)).toMatchObject({ fault: 'artifact-swapped' })
    const unbound = { ...expected, binding: undefined }
    expect(await collectResults(api, unbound)).toMatchObject({ fault: 'artifact-swapped' })
  })

  it.each([
    ['no zip', Buffer.from('PK\u0003\u0004 not really')],
    ['nothing', Buffer.alloc(0)],
    ['another name', writeZip([{ name: '../result.json', content: bytesOf({}) }])],
    [
      'a second entry',
      writeZip([
        { name: 'result.json', content: bytesOf(aResultDocument()) },
        { name: 'more.json', content: bytesOf({}) },
      ]),
    ],
    ['a bomb', writeZip([{ name: 'result.json', content: Buffer.alloc(64 * 1024 * 1024) }])],
    ['more than the cap', Buffer.alloc(5 * 1024 * 1024)],
    ['no JSON', writeZip([{ name: 'result.json', content: Buffer.from('{') }])],
    [
      'a number that is none',
      writeZip([
        {
          name: 'result.json',
          content: Buffer.from(JSON.stringify(aResultDocument()).replace('"score":2', '"score":1e999')),
        },
      ]),
    ],
    ['half a zip', writeZip([{ name: 'result.json', content: bytesOf(aResultDocument()) }]).subarray(0, 200)],
  ])('calls a result unreadable when it is %s', async (_case, zip) => {
    const { github, runId, expected, api } = await aProposedRun()
    upload(github, runId, 'result', zip)
    expect(await collectResults(api, expected)).toMatchObject({ fault: 'artifact-unreadable' })
  })
})

describe('a zip', () => {
  it('stops at the second of 100,000 zip entries', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => [`${index}`, new Uint8Array()] as const)
    const zip = zipSync(Object.fromEntries(names), { level: 0 })
    expect(readSingleFile(zip, '0', 1000)).toEqual({
      status: 'unreadable',
      detail: 'it has more than one entry',
    })
  })

  it('reads a zip whether its file is stored or deflated', () => {
    const content = bytesOf(aResultDocument())
    for (const level of [0, 9] as const) {
      const reading = readSingleFile(zipSync({ 'result.json': content }, { level }), 'result.json', 1_000_000)
      expect(reading).toEqual({ status: 'read', bytes: content })
    }
  })
})
