import { createHash } from 'node:crypto'
import { findCommand } from '../src/app/people/command-syntax.ts'
import { findConfigProblems } from '../src/config/file/parse.ts'
import { prepareHistory } from '../src/core/archive/rebuild.ts'
import { rngFor } from '../src/core/rng.ts'
import { type Embedding, encodeVector } from '../src/core/space/embedding.ts'
import { UNFITTED } from '../src/core/space/projection.ts'
import { refit, refitInSteps } from '../src/core/space/refit.ts'
import { createGuard } from '../src/guard/guard.ts'
import { parseMetrics } from '../src/pipeline/measuring/metrics.ts'
import { PROPOSAL_LIMITS, readProposal } from '../src/protocol/proposal.ts'
import { RESULT_LIMITS, readResult } from '../src/protocol/result.ts'
import { findTicked } from '../src/reports/campaign/checkboxes.ts'
import { finishInTurns } from '../src/store/campaign-loop.ts'
import { decodeLedger, decodeTrees } from '../src/store/decode.ts'
import { withLearnedAxes } from './learned-campaign.ts'
import { createLongCampaign } from './long-campaign.ts'

/** A parser of text that strangers write, and the largest text that it gets. */
export interface Parser {
  readonly name: string
  readonly limitBytes: number
  /** Hostile texts of about this size, each ready to be parsed. */
  inputs(bytes: number): readonly Input[]
}

export interface Input {
  readonly name: string
  parse(): unknown
}

const KB = 1024
const MB = 1024 * KB

/** Every parser of foreign text that a host calls on its event loop, and what takes longest after it. */
export const PARSERS: readonly Parser[] = [
  { name: 'config', limitBytes: 256 * KB, inputs: configs },
  { name: 'command', limitBytes: 64 * KB, inputs: comments },
  { name: 'ledger', limitBytes: MB, inputs: ledgers },
  { name: 'tree index', limitBytes: MB, inputs: treeIndexes },
  { name: 'result.json', limitBytes: RESULT_LIMITS.documentBytes, inputs: results },
  { name: 'proposal.json', limitBytes: PROPOSAL_LIMITS.documentBytes, inputs: proposals },
  { name: 'guard', limitBytes: MB, inputs: diffs },
  { name: 'metrics', limitBytes: MB, inputs: outputs },
  // 3,000 vectors of 1,536 components, one byte each. A fit samples them.
  { name: 'history', limitBytes: 3000 * 1536, inputs: histories },
]

const BASE = `goal: x
scope: { editable: ["src/**"] }
evaluation: { command: "true" }
objectives: [{ metric: a, direction: maximize }]
`

function configs(bytes: number): Input[] {
  const campaigns = `campaigns:\n${times(100, (index) => `  c${index}: {}\n`)}`
  const texts = {
    'unknown keys': BASE + fill(bytes, (index) => `key${index}: 1\n`),
    'unknown keys and 100 campaigns': BASE + fill(bytes - 1500, (index) => `key${index}: 1\n`) + campaigns,
    commas: `${BASE}x: [${','.repeat(bytes)}`.slice(0, bytes),
    'empty lines': BASE + '\n'.repeat(bytes - 200),
    'open quotes': `${BASE}x: "${fill(bytes, () => 'a "\n')}`.slice(0, bytes),
    'one long value': `${BASE}notes: "${'a/'.repeat((bytes - 300) / 2)}"\n`,
    'long aliases': `${BASE}x: &x [${fill(bytes - 1000, () => '1, ')}]\n${times(90, (index) => `y${index}: *x\n`)}`,
  }
  return inputsOf(texts, findConfigProblems)
}

function comments(bytes: number): Input[] {
  const commands = {
    spaces: `/loreley${' '.repeat(bytes)}x`,
    words: `/loreley ${'budget '.repeat(bytes / 7)}`,
  }
  const boxes = {
    boxes: fill(bytes, (index) => `- [x] a <!-- loreley:promote=${index} -->\n`),
    brackets: '- ['.repeat(bytes / 3),
  }
  return [...inputsOf(commands, findCommand), ...inputsOf(boxes, findTicked)]
}

function ledgers(bytes: number): Input[] {
  const line = (index: number, summary: string): string =>
    `${JSON.stringify({ schema: 1, ordinal: index, attempt: 1, kind: 'candidate', operator: 'mutate', parent: 0, inspirations: [], verdict: { status: 'refused', reason: 'superseded' }, summary, usage: { tokens: 0, dollars: 0, runnerMs: 0 } })}\n`
  const texts = {
    'long summaries': times(100, (index) => line(index, 'a'.repeat(bytes / 110))),
    'many lines': fill(bytes, (index) => line(index, '')),
    'wrong numbers': `${JSON.stringify({ schema: 1, inspirations: Array.from({ length: bytes / 4 }, () => 'a') })}\n`,
  }
  return inputsOf(texts, (text) => decodeLedger('campaigns/x', new Map([['ledger/000.jsonl', text]]), 0))
}

function treeIndexes(bytes: number): Input[] {
  const texts = { trees: fill(bytes, (index) => `${sha(`${index}`)} ${index}\n`) }
  return inputsOf(texts, (text) => decodeTrees({ folder: 'campaigns/x', path: 'trees/aa.txt' }, text, 1))
}

const FACTS = { schema: 1, kind: 'candidate', candidate: 'x-0001', attempt: 1, nonce: 'abcdefgh' }

function results(bytes: number): Input[] {
  const measured = (samples: unknown): string =>
    JSON.stringify({
      ...FACTS,
      outcome: { status: 'measured', tree: sha('t'), metrics: { a: 1 }, samples },
      usage: {},
      logs: [],
    })
  const sample = {
    subject: 'root',
    stage: 'full',
    metrics: Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`m${index}`, 1])),
  }
  const texts = {
    'many samples': measured(Array.from({ length: bytes / JSON.stringify(sample).length - 1 }, () => sample)),
    'wrong samples': measured(Array.from({ length: bytes / 3 }, () => 1)),
    'wrong metrics': measured([
      {
        ...sample,
        metrics: Object.fromEntries(Array.from({ length: bytes / 14 }, (_, index) => [`${index}\n`, 'a'])),
      },
    ]),
    'unknown keys': `{${fill(bytes - 20, (index) => `"k${index}":1,`)}"z":1}`,
    'nested lists': '['.repeat(bytes),
    'one long text': JSON.stringify({ ...FACTS, logs: [{ name: 'a', text: '\u202e'.repeat(bytes / 4) }] }),
  }
  return inputsOf(texts, (text) => readResult(Buffer.from(text).subarray(0, RESULT_LIMITS.documentBytes)))
}

function proposals(bytes: number): Input[] {
  const document = (files: unknown, more: object = {}): string =>
    JSON.stringify({
      ...FACTS,
      base: { commit: sha('c'), tree: sha('t') },
      outcome: { status: 'proposed', tree: sha('t'), files, ...more },
    })
  const content = Buffer.alloc((bytes * 0.7) / 100, 'a')
  const blob = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
  const texts = {
    '100 files': document(
      Array.from({ length: 100 }, (_, index) => ({
        path: `f${index}`,
        after: { mode: '100644', blob, content: content.toString('base64') },
      })),
    ),
    'wrong files': document(Array.from({ length: bytes / 3 }, () => 1)),
    'empty files': document(Array.from({ length: bytes / 14 }, (_, index) => ({ path: `f${index}` }))),
    'a long path': document([{ path: 'a/'.repeat(bytes / 2 - 200) }]),
    'a long transcript': document([], { transcript: 'a'.repeat(bytes - 400) }),
  }
  return inputsOf(texts, (text) => readProposal(Buffer.from(text).subarray(0, PROPOSAL_LIMITS.documentBytes)))
}

function diffs(bytes: number): Input[] {
  const guard = createGuard({
    ...{ editable: ['**'], protected: [], evaluatorFiles: [], baseRules: [] },
    ...{ rootPaths: [], allowManifests: false },
    ...{ maxFiles: 200, maxLines: 1_000_000, maxFileBytes: 4 * MB, maxTotalBytes: 4 * MB },
  })
  const texts = {
    'short lines': fill(bytes, (index) => `let a${index} = ${index}\n`),
    'one long line': 'a'.repeat(bytes),
    quotes: `'"\``.repeat(bytes / 3),
    tests: fill(bytes, (index) => `it('a${index}', () => {\n`),
    'almost secrets': fill(bytes, () => 'https://a:b AKIA ghp_ '),
  }
  const change = (path: string, text: string) => ({
    path,
    before: { mode: '100644', blob: sha('b'), text: '' },
    after: { mode: '100644', blob: sha('a'), bytes: text.length, binary: false, text },
  })
  return ['src/a.js', 'test/a.test.js'].flatMap((path) =>
    inputsOf(texts, (text) => guard.check([change(path, text)], [])).map((input) => ({
      ...input,
      name: `${input.name} in ${path}`,
    })),
  )
}

function outputs(bytes: number): Input[] {
  const texts = {
    'short lines': `${fill(bytes, () => 'a\n')}1`,
    'metric lines': fill(bytes, (index) => `METRIC m${index}=1\n`),
    'a long line': `${'METRIC '.repeat(bytes / 7)}`,
    'equals signs': `METRIC ${'='.repeat(bytes)}`,
    spaces: `METRIC${' '.repeat(bytes)}a=1`,
    'an object': `{${fill(bytes - 20, (index) => `"k${index}":1,`)}"z":1}`,
    braces: '{ '.repeat(bytes / 2),
    digits: '1'.repeat(bytes),
  }
  return inputsOf(texts, (stdout) => parseMetrics({ stdout }, 'auto', 'a'))
}

function histories(bytes: number): Input[] {
  const vectors = createVectors(bytes / 1536, 1536)
  const fitted = { ...refit(UNFITTED, vectors, { finished: vectors.length, sides: [16, 16] }), version: 3 }
  const drifted = vectors.slice(vectors.length / 4)
  const root = { commit: sha('c'), tree: sha('t'), seconds: 0 }
  const { state } = withLearnedAxes(createLongCampaign(root, vectors.length))
  const due = { ...state, projection: { ...state.projection, fittedAt: vectors.length / 2 } }
  const options = { finished: vectors.length, sides: [16, 16] }
  return [
    { name: 'the first fit', parse: () => finishInTurns(refitInSteps(UNFITTED, vectors, options)) },
    { name: 'a later fit', parse: () => finishInTurns(refitInSteps(fitted, drifted, options)) },
    { name: 'a fit and all cells', parse: () => finishInTurns(prepareHistory(due, state.ledger.tail)) },
  ]
}

function createVectors(count: number, dimensions: number): Embedding[] {
  const rng = rngFor(1, dimensions, 'stall')
  return Array.from({ length: count }, (_, index) => {
    const components = Array.from(
      { length: dimensions },
      (_, slot) => (rng.unit() - 0.5) * (slot < 20 ? 1 : 0.05),
    )
    return { vector: encodeVector(components, rng.unit()), files: [`file-${index % 60}.js`], terms: ['tune'] }
  })
}

function inputsOf(texts: Readonly<Record<string, string>>, parse: (text: string) => unknown): Input[] {
  return Object.entries(texts).map(([name, text]) => ({ name, parse: () => parse(text) }))
}

function fill(bytes: number, part: (index: number) => string): string {
  const parts: string[] = []
  for (let length = 0; length < bytes - 60; length += parts.at(-1)?.length ?? 0)
    parts.push(part(parts.length))
  return parts.join('')
}

function times(count: number, part: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => part(index)).join('')
}

function sha(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}
