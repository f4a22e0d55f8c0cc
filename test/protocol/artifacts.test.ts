import { describe, expect, it } from 'vitest'
import { encodeVector } from '../../src/core/space/embedding.ts'
import { PROPOSAL_LIMITS, readProposal } from '../../src/protocol/proposal.ts'
import { RESULT_LIMITS, readResult } from '../../src/protocol/result.ts'
import { aChangedFile, aProposal, aResultDocument, bytesOf, type ChangedFile } from '../support/artifacts.ts'
import { anObjectId } from '../support/builders.ts'

type Json = Readonly<Record<string, unknown>>

function withOutcome(document: { readonly outcome: object }, changes: Json): Json {
  return { ...document, outcome: { ...document.outcome, ...changes } }
}

function proposalOf(...files: ChangedFile[]): Buffer {
  return bytesOf(aProposal(files))
}

function withLabel(key: 'files' | 'terms', label: string): Buffer {
  return bytesOf(
    aProposal(undefined, { vector: encodeVector([1, 0], 1), files: [], terms: [], [key]: [label] }),
  )
}

describe('readProposal', () => {
  it('gives back what was written', () => {
    expect(readProposal(bytesOf(aProposal()))).toEqual({ status: 'read', document: aProposal() })
  })

  it('takes bytes that are no text, a deletion and an executable file', () => {
    const files: ChangedFile[] = [
      aChangedFile('bom', new Uint8Array([0xef, 0xbb, 0xbf, 0, 0xff])),
      { path: 'gone', before: { mode: '100755', blob: anObjectId('old') } },
    ]
    expect(readProposal(proposalOf(...files)).status).toBe('read')
  })

  const bad = aChangedFile('src/a.js')
  const many = Array.from({ length: PROPOSAL_LIMITS.files + 1 }, (_, index) => aChangedFile(`f${index}`))
  const large = ['a', 'b'].map((path) =>
    aChangedFile(path, Buffer.alloc(PROPOSAL_LIMITS.changedBytes / 2 + 1)),
  )
  it.each<[string, Uint8Array]>([
    ['bytes that are no JSON', Buffer.from('{')],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['another schema version', bytesOf({ ...aProposal(), schema: 2 })],
    ['a field it does not know', bytesOf({ ...aProposal(), extra: 1 })],
    ['a path that leaves the tree', proposalOf(aChangedFile('src/../../x'))],
    ['an absolute path', proposalOf(aChangedFile('/etc/passwd'))],
    ['a path with NUL', proposalOf(aChangedFile('a\0b'))],
    ['a path twice', proposalOf(bad, bad)],
    ['no file at all', proposalOf()],
    ['too many files', proposalOf(...many)],
    ['too many bytes', proposalOf(...large)],
    ['a document beyond its limit', Buffer.alloc(PROPOSAL_LIMITS.documentBytes + 1, 0x20)],
    ['a file without a side', bytesOf(withOutcome(aProposal(), { files: [{ path: 'a' }] }))],
    [
      'a symbolic link',
      bytesOf(withOutcome(aProposal(), { files: [{ ...bad, after: { ...bad.after, mode: '120000' } }] })),
    ],
    [
      'bytes that are not those of the blob id',
      bytesOf(withOutcome(aProposal(), { files: [{ ...bad, after: { ...bad.after, content: 'AAAA' } }] })),
    ],
    ['a tree that is no id', bytesOf(withOutcome(aProposal(), { tree: 'HEAD' }))],
    ['a summary with an escape sequence', bytesOf(withOutcome(aProposal(), { summary: '\u001b[2J' }))],
    ['a file of the embedding with an escape sequence', withLabel('files', 'src/\u001b[2J')],
    ['a term of two lines', withLabel('terms', 'one\ntwo')],
    ['a term that is a text', withLabel('terms', 'x'.repeat(257))],
    ['a summary that turns the reading direction', bytesOf(withOutcome(aProposal(), { summary: '\u202e' }))],
  ])('refuses %s', (_, bytes) => {
    expect(readProposal(bytes).status).toBe('unreadable')
  })

  it('says in bounded words what is wrong', () => {
    const reading = readProposal(bytesOf({ ...aProposal(), ['x'.repeat(100_000)]: 1 }))
    expect(reading.status === 'unreadable' && reading.detail.length).toBeLessThan(1001)
  })
})

describe('readResult', () => {
  it('a result loses a metric that would be a prototype', () => {
    const reading = readResult(withMetrics('{"score":1,"__proto__":{"evil":1}}'))
    const outcome = reading.status === 'read' ? reading.document.outcome : undefined
    expect(outcome?.status === 'measured' && Object.entries(outcome.metrics)).toEqual([['score', 1]])
    expect(outcome).not.toHaveProperty('metrics.evil')
  })

  it('gives back what was written', () => {
    expect(readResult(bytesOf(aResultDocument()))).toEqual({ status: 'read', document: aResultDocument() })
  })

  it('takes a failure with the code of an infrastructure fault', () => {
    const failed = {
      status: 'failed',
      reason: 'infrastructure',
      code: 'internal',
      detail: 'disk full',
    } as const
    expect(readResult(bytesOf(aResultDocument({ outcome: failed }))).status).toBe('read')
  })

  const measured = aResultDocument()
  const withMetrics = (text: string): Buffer =>
    Buffer.from(JSON.stringify(withOutcome(measured, { metrics: 'HERE' })).replace('"HERE"', text))
  const manyMetrics = Object.fromEntries(
    Array.from({ length: RESULT_LIMITS.metrics + 1 }, (_, index) => [`m${index}`, 1]),
  )
  const sample = { subject: 'root', stage: 'full', metrics: { score: 1 } }
  it.each<[string, Uint8Array]>([
    ['an infinite metric', withMetrics('{"score":1e999}')],
    ['a metric that is text', withMetrics('{"score":"1"}')],
    ['a metric whose name no terminal should see', withMetrics('{"a\\u0007b":1}')],
    ['a metric without a name', withMetrics('{"":1}')],
    ['too many metrics', withMetrics(JSON.stringify(manyMetrics))],
    [
      'too many samples',
      bytesOf(withOutcome(measured, { samples: Array(RESULT_LIMITS.samples + 1).fill(sample) })),
    ],
    [
      'a sample of somebody else',
      bytesOf(withOutcome(measured, { samples: [{ ...sample, subject: 'elite' }] })),
    ],
    [
      'an unknown reason',
      bytesOf(withOutcome(measured, { status: 'failed', reason: 'because', detail: '' })),
    ],
    ['a log with control characters', bytesOf({ ...measured, logs: [{ name: 'x', text: '\u001b]0;x' }] })],
    ['a log beyond its limit', bytesOf({ ...measured, logs: [{ name: 'x', text: 'x'.repeat(20_001) }] })],
    [
      'an isolation level it does not know',
      bytesOf({ ...measured, isolation: { level: 'full', network: 'none' } }),
    ],
    ['negative usage', bytesOf({ ...measured, usage: { tokens: -1, dollars: 0, runnerMs: 0 } })],
  ])('refuses %s', (_, bytes) => {
    expect(readResult(bytes).status).toBe('unreadable')
  })
})
