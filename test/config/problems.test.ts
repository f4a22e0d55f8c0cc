import { describe, expect, it } from 'vitest'
import { findConfigProblems, parseConfig } from '../../src/config/file/parse.ts'
import { ConfigInvalidError, renderProblem } from '../../src/config/file/problem.ts'
import { SMALLEST } from './examples.ts'

const withoutLine = (start: string) => SMALLEST.replace(new RegExp(`^${start}.*\n`, 'm'), '')
const evaluation = (more: string) => SMALLEST.replace('node bench.mjs', `node bench.mjs, ${more}`)
const objectives = (list: string) =>
  `${SMALLEST.slice(0, SMALLEST.indexOf('objectives'))}objectives: ${list}\n`
const editable = (list: string) => SMALLEST.replace('["src/**"]', list)

// Each file has one problem: what it is, the text, and the line shown to the reader.
const ONE_PROBLEM: readonly (readonly [string, string, string])[] = [
  ['an empty file', '', '1:1 - the file is empty'],
  ['a file of comments', '# nothing\n', '1:1 - the file is empty'],
  ['a list', '- a\n', '1:1 - must hold a mapping of keys to values'],
  ['plain text', 'hello', '1:1 - must hold a mapping of keys to values'],
  ['a tab', 'goal: x\nscope:\n\teditable: []\n', '3:1 - Tabs are not allowed as indentation'],
  ['a key that is there twice', `${SMALLEST}goal: x\n`, '6:1 goal - appears twice in one mapping'],
  ['a second document', `${SMALLEST}---\na: 1\n`, '6:1 - there is a second YAML document'],
  ['a colon in a plain value', 'goal: a: b\n', '1:7 - a value with ": " must be quoted'],
  [
    'a glob that YAML takes for an alias',
    editable('[*.js]'),
    '2:21 - *.js refers to an anchor that does not exist',
  ],
  ['a glob that YAML takes for a tag', editable('[!src/**]'), '2:21 - Unresolved tag: !src/**'],
  ['an alias of itself', 'a: &a [*a]\n', '1:8 - *a contains itself'],
  ['too many aliases', `a: &a 1\nb: [${'*a, '.repeat(101)}]\n`, '2:5 - there are more than 100 aliases'],
  ['deep nesting', `goal: x\nnotes: ${'['.repeat(50_000)}\n`, '2:106 - values are nested too deeply'],
  ['deep block nesting', '- '.repeat(50_000), '1:199 - values are nested too deeply'],
  ['a huge file', `# ${'x'.repeat(262_144)}`, '1:1 - the file is larger than 256 KiB'],
  ['a key named __proto__', `${SMALLEST}__proto__: {}\n`, '6:1 __proto__ - is not a known key'],
  [
    'a campaign named __proto__',
    `${SMALLEST}campaigns: { __proto__: {} }\n`,
    '6:14 __proto__ - is not a known key',
  ],
  ['an unknown key', `${SMALLEST}gaol: x\n`, '6:1 gaol - is not a known key'],
  [
    'an unknown key below',
    `${SMALLEST}limits:\n  candidate: 3\n`,
    '7:3 limits.candidate - is not a known key',
  ],
  ['CRLF line ends', `${SMALLEST.replaceAll('\n', '\r\n')}x: 1\r\n`, '6:1 x - is not a known key'],
  ['a byte order mark', `\uFEFFx: 1\n${SMALLEST}`, '1:1 x - is not a known key'],
  ['no goal', withoutLine('goal'), '1:1 goal - is required and missing'],
  ['no scope', `# first\n${withoutLine('scope')}`, '2:1 scope - is required and missing'],
  [
    'no editable',
    SMALLEST.replace('{ editable: ["src/**"] }', '{}'),
    '2:1 scope.editable - is required and missing',
  ],
  ['an empty goal', SMALLEST.replace('Make parsing faster.', ''), '1:1 goal - must be text, not empty'],
  ['a blank goal', SMALLEST.replace('Make parsing faster.', '"  "'), '1:7 goal - must not be empty'],
  [
    'a long goal',
    SMALLEST.replace('faster', 'x'.repeat(2000)),
    '1:7 goal - must have at most 2000 characters',
  ],
  ['a number for text', SMALLEST.replace('Make parsing faster.', '3'), '1:7 goal - must be text, not 3'],
  ['text for a mapping', `${SMALLEST}agent: openai\n`, '6:8 agent - must be a mapping, not "openai"'],
  ['another version', `${SMALLEST}version: 2\n`, '6:10 version - must be 1, not 2'],
  ['no glob', editable('[]'), '2:20 scope.editable - must not be empty'],
  ['an absolute glob', editable('[a, /src/**]'), '2:24 scope.editable[1] - must not start with "/"'],
  ['a negated glob', editable('["!src/**"]'), '2:21 scope.editable[0] - must not start with "!"'],
  ['a glob that leaves the root', editable('[a/../../b]'), '2:21 scope.editable[0] - must not contain ".."'],
  [
    'a limit below 1',
    `${SMALLEST}limits: { candidates: 0 }\n`,
    '6:23 limits.candidates - must be at least 1',
  ],
  [
    'too few pairs for the confidence',
    evaluation('sampling: { max_pairs: 8 }'),
    '3:63 evaluation.sampling.max_pairs - must be at least 9 for a confidence of 0.998: with fewer pairs no candidate could ever count as better',
  ],
  [
    'a root that is measured once',
    evaluation('baseline_runs: 1'),
    '3:55 evaluation.baseline_runs - must be at least 2',
  ],
  [
    'half a candidate',
    `${SMALLEST}limits: { candidates: 1.5 }\n`,
    '6:23 limits.candidates - must be a whole number, not 1.5',
  ],
  [
    'endless money',
    `${SMALLEST}limits: { dollars: .inf }\n`,
    '6:20 limits.dollars - must be a number, not Infinity',
  ],
  ['no money', `${SMALLEST}limits: { dollars: 0 }\n`, '6:20 limits.dollars - must be more than 0'],
  ['no objective', objectives('[]'), '4:13 objectives - must not be empty'],
  [
    'a wrong direction',
    objectives('[{ metric: a, direction: up }]'),
    '4:38 objectives[0].direction - must be maximize or minimize, not "up"',
  ],
  [
    'bounds the wrong way',
    objectives('[{ metric: a, direction: minimize, min: 2, max: 1 }]'),
    '4:61 objectives[0].max - must be more than min (2)',
  ],
  [
    'a target out of reach',
    objectives('[{ metric: a, direction: maximize, target: 3, max: 2 }]'),
    '4:56 objectives[0].target - is above max (2)',
  ],
  [
    'json-file without a file',
    evaluation('output: { form: json-file }'),
    '3:40 evaluation.output.file - is required when form is json-file, and is missing',
  ],
  [
    'a gate that expects nothing',
    evaluation('gates: [{ command: t, expect: {} }]'),
    '3:70 evaluation.gates[0].expect - must contain output or junit',
  ],
  [
    'a gate that expects no regular expression',
    evaluation('gates: [{ command: t, expect: { output: "(" } }]'),
    '3:80 evaluation.gates[0].expect.output - must be a regular expression',
  ],
  ['a gate that is a number', evaluation('gates: [1]'), '3:48 evaluation.gates[0] - must be text, not 1'],
  [
    'a gate without a command',
    evaluation('gates: [{ name: t }]'),
    '3:48 evaluation.gates[0].command - is required and missing',
  ],
  ['an evaluator outside', evaluation('files: [../x]'), '3:48 evaluation.files[0] - must not contain ".."'],
  [
    'a variable with a value',
    evaluation('environment: [A=b]'),
    '3:54 evaluation.environment[0] - must be the name of an environment variable',
  ],
  [
    'an unknown axis',
    `${SMALLEST}search: { axes: [{ change: size }] }\n`,
    '6:28 search.axes[0].change - must be churn or growth or spread, not "size"',
  ],
  [
    'too many cells to tessellate',
    `${SMALLEST}search: { archive: cvt, cells: 1025 }\n`,
    '6:32 search.cells - must be at most 1024 in a cvt archive',
  ],
  [
    'an axis without an end',
    `${SMALLEST}search: { axes: [{ metric: a, min: 1 }] }\n`,
    '6:18 search.axes[0].max - is required and missing',
  ],
  [
    'an axis of no width',
    `${SMALLEST}search: { axes: [{ metric: a, min: 1, max: 1 }] }\n`,
    '6:44 search.axes[0].max - must be more than min (1)',
  ],
  [
    'the same axis twice',
    `${SMALLEST}search: { axes: [change: churn, change: churn] }\n`,
    '6:33 search.axes[1] - is the same axis as an earlier one (change churn)',
  ],
  [
    'four axes',
    `${SMALLEST}search: { axes: [change: churn, change: growth, change: spread, { metric: a, min: 0, max: 1 }] }\n`,
    '6:17 search.axes - must have at most 3 entries',
  ],
  [
    'a wrong cron',
    `${SMALLEST}schedule: { cron: 61 * * * * }\n`,
    '6:19 schedule.cron - is not a cron pattern that ever fires',
  ],
  [
    'a cron with seconds',
    `${SMALLEST}schedule: { cron: 0 0 3 * * 1 }\n`,
    '6:19 schedule.cron - is not a cron pattern that ever fires',
  ],
  [
    '31 February',
    `${SMALLEST}schedule: { cron: 0 0 31 2 * }\n`,
    '6:19 schedule.cron - is not a cron pattern that ever fires',
  ],
  [
    'a wrong time zone',
    `${SMALLEST}schedule: { cron: 0 3 * * 1, time_zone: Mars }\n`,
    '6:41 schedule.time_zone - is not a known time zone',
  ],
  [
    'campaigns without a name',
    `${SMALLEST}campaigns: {}\n`,
    '6:12 campaigns - must name at least one campaign',
  ],
  ['campaigns without a value', `${SMALLEST}campaigns:\n`, '6:1 campaigns - must be a mapping, not empty'],
  [
    'a campaign in capitals',
    `${SMALLEST}campaigns: { Fast: {} }\n`,
    '6:14 campaigns.Fast - must be 1 to 40 characters of a-z, 0-9 and "-"',
  ],
  [
    'a campaign of text',
    `${SMALLEST}campaigns: { fast: x }\n`,
    '6:20 campaigns.fast - must be a mapping, not "x"',
  ],
  [
    'a campaign with a version',
    `${SMALLEST}campaigns: { fast: { version: 1 } }\n`,
    '6:22 campaigns.fast.version - is not a known key',
  ],
]

describe('findConfigProblems', () => {
  it.each(ONE_PROBLEM)('shows where %s is wrong', (_name, text, expected) => {
    expect(findConfigProblems(text).map((problem) => renderProblem(problem, 'f'))).toEqual([`f:${expected}`])
    for (const { hint } of findConfigProblems(text)) expect(hint).toMatch(/\w{3}/)
  })

  it('finds all problems and sorts them by position', () => {
    const text = `${SMALLEST}limits: { parallel: 99, candidates: no }\nversion: 3\nextra: 1\n`.replace(
      'maximize',
      'more',
    )
    expect(findConfigProblems(text).map(({ line, path }) => `${line} ${path}`)).toEqual([
      '5 objectives[0].direction',
      '6 limits.parallel',
      '6 limits.candidates',
      '7 version',
      '8 extra',
    ])
  })

  it('suggests the key that was meant', () => {
    expect(findConfigProblems(`${SMALLEST}limits: { paralel: 3 }`)[0]?.hint).toMatch(
      /^Did you mean parallel\?/,
    )
    expect(findConfigProblems(`${SMALLEST}verson: 1`)[0]?.hint).toMatch(/^Did you mean version\?/)
    expect(findConfigProblems(`${SMALLEST}elephants: 1`)[0]?.hint).toMatch(/^Known keys here: version, goal/)
  })

  it('refuses aliases that expand to too many values', () => {
    const row = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(of).join(', ')}]\n`
    const bomb = row('a', '1') + row('b', '*a') + row('c', '*b') + row('d', '*c')
    expect(findConfigProblems(bomb).map(({ message }) => message)).toEqual([
      'its aliases expand to too many values',
    ])
  })

  it('points at the anchor of a wrong value that came through an alias', () => {
    const text = `${SMALLEST}search: { seed: &n -1 }\nlimits: { candidates: *n }\n`
    expect(findConfigProblems(text).map(({ line, path }) => `${line} ${path}`)).toEqual([
      '6 search.seed',
      '7 limits.candidates',
    ])
  })
})

describe('parseConfig', () => {
  it('throws config-invalid with every problem as a line', () => {
    const parse = () => parseConfig('goal: 1\n', '.loreley.yml')
    expect(parse).toThrow(ConfigInvalidError)
    try {
      parse()
    } catch (error) {
      expect(error).toMatchObject({ code: 'config-invalid', problems: { length: 4 } })
      expect(String(error)).toContain('.loreley.yml:1:7 goal - must be text, not 1')
    }
  })
})
