import { describe, expect, it } from 'vitest'
import { decodeCampaign, decodeTrees } from '../../src/store/decode.ts'
import { encodeCampaign } from '../../src/store/encode.ts'
import { aCampaign, aConfig } from '../support/builders.ts'
import { begun, finished, step } from '../support/campaign-steps.ts'

// A campaign with a document of every kind: two finished, one waiting for its turn.
const config = aConfig({ search: { window: 4 } })
const state = step(begun(aCampaign({ config })), finished(1), finished(3)).state
const documents: ReadonlyMap<string, string> = encodeCampaign({ state, config })

function textOf(path: string): string {
  return documents.get(path) ?? ''
}

/** Reads the campaign with one document changed, or removed. */
function decodeWith(path: string, text: string | undefined) {
  const changed = new Map(documents)
  if (text === undefined) changed.delete(path)
  else changed.set(path, text)
  return () => decodeCampaign('campaigns/demo', changed, 0)
}

const at = (path: string) => expect.stringContaining(`loreley/state:campaigns/demo/${path}`)

/** The first JSON value of a document with some keys set. */
function withKeys(path: string, changes: object): string {
  const text = textOf(path)
  const [line = '', ...rest] = path.endsWith('.jsonl') ? text.split('\n') : [text, '']
  return [JSON.stringify({ ...JSON.parse(line), ...changes }), ...rest].join('\n')
}

const DOCUMENTS = ['campaign.json', 'config.json', 'archive.json', 'jobs/0002.json', 'ledger/000.jsonl']

describe.each(DOCUMENTS)('%s', (path) => {
  it.each<[string, () => string]>([
    ['is not JSON', () => textOf(path).replace('{', '{{')],
    ['is empty', () => '\n'],
    ['is a JSON array', () => '[]\n'],
    ['is null', () => 'null\n'],
    ['has no schema version', () => withKeys(path, { schema: undefined })],
    ['has a schema version of 0', () => withKeys(path, { schema: 0 })],
    ['has a schema version that is no number', () => withKeys(path, { schema: '1' })],
  ])('a document is refused when it %s', (_case, broken) => {
    const fault = { code: 'state-corrupt', message: at(path), hint: expect.stringContaining('git log -p') }
    expect(decodeWith(path, broken())).toThrow(expect.objectContaining(fault))
  })

  // Its version, or a key that only a newer one knows. Going back to an older commit would throw away progress.
  it.each([{ schema: 2 }, { surprise: 1 }])('a document is refused when a newer Loreley wrote %j', (keys) => {
    const fault = { code: 'state-newer', message: at(path), hint: expect.stringContaining('update') }
    expect(decodeWith(path, withKeys(path, keys))).toThrow(expect.objectContaining(fault))
  })
})

describe('documents that do not fit', () => {
  it.each(DOCUMENTS.filter((path) => !path.startsWith('jobs/')))(
    'a state is refused when %s is gone',
    (path) => {
      const message = expect.stringContaining(`${path} cannot be used: the file is missing`)
      expect(decodeWith(path, undefined)).toThrow(expect.objectContaining({ code: 'state-corrupt', message }))
    },
  )

  it.each<[string, string, (text: string) => string]>([
    ['a number is text', 'campaign.json', (text) => text.replace(/"finished": \d+/, '"finished": "1"')],
    ['a phase is unknown', 'campaign.json', (text) => text.replace('"warm-up"', '"asleep"')],
    ['the id is of another campaign', 'campaign.json', (text) => text.replace('"demo"', '"other"')],
    [
      'a time is none',
      'campaign.json',
      (text) => text.replace(/"lastTickAt": "[^"]*"/, '"lastTickAt": "now"'),
    ],
    ['a metric is null', 'campaign.json', (text) => text.replace('"x": 0.5', '"x": null')],
    ['a limit is negative', 'config.json', (text) => text.replace(/"candidates": \d+/, '"candidates": -1')],
    ['a commit is no object id', 'archive.json', (text) => text.replace(/"commit": "../, '"commit": "xy')],
    ['an elite is in another cell', 'archive.json', (text) => text.replace(/"\d-\d": \[/, '"0-0": [')],
    ['an ordinal is negative', 'jobs/0002.json', (text) => text.replace('"ordinal": 2', '"ordinal": -2')],
    ['an operator is unknown', 'jobs/0002.json', (text) => text.replace('"fresh"', '"guess"')],
    ['the last line is cut off', 'ledger/000.jsonl', (text) => text.trimEnd()],
    ['a line is missing', 'ledger/000.jsonl', (text) => text.slice(text.indexOf('\n') + 1)],
    ['a line is doubled', 'ledger/000.jsonl', (text) => text + text.slice(text.indexOf('\n') + 1)],
  ])('a state is refused when %s', (_case, path, broken) => {
    expect(broken(textOf(path))).not.toBe(textOf(path))
    const fault = { code: 'state-corrupt', message: at(path) }
    expect(decodeWith(path, broken(textOf(path)))).toThrow(expect.objectContaining(fault))
  })

  it('a state is refused when an open candidate has no file', () => {
    const fault = {
      code: 'state-corrupt',
      message: at('jobs/ cannot be used: there are 3 open and 2 finished of 6'),
    }
    expect(decodeWith('jobs/0002.json', undefined)).toThrow(expect.objectContaining(fault))
  })

  it('a state is refused when a job is under another name', () => {
    const changed = new Map(documents).set('jobs/0009.json', textOf('jobs/0002.json'))
    changed.delete('jobs/0002.json')
    const fault = { code: 'state-corrupt', message: at('jobs/0009.json') }
    expect(() => decodeCampaign('campaigns/demo', changed, 0)).toThrow(expect.objectContaining(fault))
  })

  it('a state is refused with the line of the ledger that is bad', () => {
    const [first = ''] = textOf('ledger/000.jsonl').split('\n')
    const fault = { code: 'state-corrupt', message: at('ledger/000.jsonl:2') }
    expect(decodeWith('ledger/000.jsonl', `${first}\n{}\n`)).toThrow(expect.objectContaining(fault))
  })

  it.each(['abc 1\n', `${'a'.repeat(40)}\n`, `${'a'.repeat(40)} 1`, `${'a'.repeat(50)} 1\n`])(
    'a state is refused when the index of trees has the text %j',
    (text) => {
      const fault = { code: 'state-corrupt', message: at('trees/aa.txt') }
      const read = () => decodeTrees({ folder: 'campaigns/demo', path: 'trees/aa.txt' }, text, 1)
      expect(read).toThrow(expect.objectContaining(fault))
    },
  )
})
