import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findBrokenTestNames, findCoined, type Slip } from '../../scripts/house/language.ts'
import { readSources } from '../../scripts/house/source-tree.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const READ = /^(?:(?:src|test|docs)\/.*\.(?:[cm]?[jt]s|md|ya?ml)|README\.md)$/
// This file has to name what it forbids; fixtures are what others wrote.
const LEFT_OUT = /^test\/(?:contract\/language\.test\.ts|fixtures\/)/

const render = ({ path, line, rule, text }: Slip): string => `${path}:${line} ${rule}: ${text}`

describe('src, test, docs and README', () => {
  const sources = new Map(
    ['src', 'test', 'docs', '.'].flatMap((folder) =>
      [...readSources(`${ROOT}/${folder}`, folder === '.' ? /^README\.md$/ : /\.(?:[cm]?[jt]s|md|ya?ml)$/)]
        .map(([path, text]) => [folder === '.' ? path : `${folder}/${path}`, text] as const)
        .filter(([path]) => READ.test(path) && !LEFT_OUT.test(path)),
    ),
  )

  it('the language test reads many files of each kind', () => {
    const kinds = [...sources.keys()].map((path) => path.split('/')[0])
    expect(new Set(kinds)).toEqual(new Set(['src', 'test', 'docs', 'README.md']))
    expect(sources.size).toBeGreaterThan(500)
  })

  it('no file coins words or ends a name in Order, Desk, Standing or Story', () => {
    const slips = [...sources].flatMap(([path, text]) => findCoined(path, text))
    expect(slips.map(render)).toEqual([])
  })

  it('every test name makes sense alone', () => {
    const tests = [...sources].filter(([path]) => /\.(?:test|parity)\.ts$/.test(path))
    const slips = tests.flatMap(([path, text]) => findBrokenTestNames(path, text))
    expect(slips.map(render)).toEqual([])
  })
})

describe('the rules of our language', () => {
  it.each([
    ['// Tried at every look around.', 'look around'],
    ['const lookAround = 1', 'look around'],
    ['The desk of an issue', 'desk'],
    ['It is measured anew.', 'anew'],
    ['the machinery of jobs', 'machinery'],
    ['an unheard event', 'unheard'],
    ['measured in turns with the root', 'in turns'],
    ['a workshop for one candidate', 'workshop'],
    ['its work folder', 'work folder'],
    ['interface MeasureOrder {}', 'MeasureOrder'],
    ['class IssueDesk {}', 'IssueDesk'],
    ['type CampaignStanding = 1', 'CampaignStanding'],
    ['const pullStory = 1', 'pullStory'],
  ])('the rules object to %j', (text, rule) => {
    expect(findCoined('src/a.ts', text)).toEqual([{ path: 'src/a.ts', line: 1, rule, text }])
  })

  it.each([
    'campaign.order stays, and so does the order of results',
    'The test stands alone; a standing request; a long story.',
    'samples.sort(inOrder)',
    'Math.round(place)',
  ])('the rules allow %j', (text) => {
    expect(findCoined('src/a.ts', text)).toEqual([])
  })

  it.each([
    ["it('of a dry run end it after the baseline', () => 1)", 'of a dry run end it after the baseline'],
    ["it.each([1])('is %d', () => 1)", 'is %d'],
    ["it.runIf(true)('with root', () => 1)", 'with root'],
    [`test(\`has \${1} parts\`, () => 1)`, 'has … parts'],
  ])('the rules object to the test %j', (text, name) => {
    expect(findBrokenTestNames('test/a.test.ts', text).map((slip) => slip.text)).toEqual([name])
  })

  it.each([
    "it('a dry run ends after the baseline', () => 1)",
    "it('keeps the older elite when objectives tie', () => 1)",
    "describe('of several', () => 1)",
    "it('isolates', () => 1)",
  ])('the rules allow the test %j', (text) => {
    expect(findBrokenTestNames('test/a.test.ts', text)).toEqual([])
  })
})
