import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { METRICS_FORMS, type MetricsForm, parseMetrics } from '../../../src/pipeline/measuring/metrics.ts'

interface Case {
  readonly form?: MetricsForm
  readonly stdout?: string
  readonly isCut?: boolean
  readonly file?: string
}

function parse({ form = 'auto', stdout = '', isCut, file }: Case) {
  return parseMetrics({ stdout, isCut, file }, form, 'score')
}

const benchmarks = JSON.stringify([
  { name: 'My benchmark - time', value: 12.5, unit: 'ms' },
  { name: 'size', value: 3, unit: 'kB', range: '± 1' },
])
const benchmarkMetrics = { 'My benchmark - time': 12.5, size: 3 }

describe('what is read', () => {
  it.each<[what: string, given: Case, metrics: Record<string, number>]>([
    ['a number on the last line', { stdout: 'warming up\n2.5\n' }, { score: 2.5 }],
    ['blank lines after it', { stdout: '7\n\n  \r\n' }, { score: 7 }],
    ['Windows line ends', { stdout: 'log\r\n-1e-3\r\n' }, { score: -0.001 }],
    ['a progress bar before it', { stdout: ' 10 %\r100 %\r.5' }, { score: 0.5 }],
    ['a signed number', { form: 'last-line', stdout: '+3.' }, { score: 3 }],
    ['nan, for the engine to refuse', { stdout: 'nan' }, { score: Number.NaN }],
    ['minus infinity as Python prints it', { stdout: '-inf' }, { score: Number.NEGATIVE_INFINITY }],
    ['infinity as JavaScript prints it', { stdout: 'Infinity' }, { score: Number.POSITIVE_INFINITY }],
    ['a number beyond the largest', { stdout: '1e999' }, { score: Number.POSITIVE_INFINITY }],
    ['one JSON object', { stdout: 'log\n{"a": 1, "b": -2.5e3}' }, { a: 1, b: -2500 }],
    [
      'numbers only',
      { stdout: '{"a":1,"ok":true,"s":"2","n":null,"o":{"x":1},"l":[1],"m":"NaN"}' },
      { a: 1 },
    ],
    [
      'METRIC lines, the same one twice too',
      { stdout: 'METRIC a=1\ntext\n METRIC b/x-y.z%=2e1\nMETRIC a=1.0\ndone in 9' },
      { a: 1, 'b/x-y.z%': 20 },
    ],
    [
      'METRIC lines, when told, although there is a last line',
      { form: 'metric-lines', stdout: 'METRIC a=1\n{"a":2}' },
      { a: 1 },
    ],
    [
      'names as benchmarks have them',
      { stdout: 'METRIC My benchmark - time=1\nMETRIC Vec<u8> n=10 = 2' },
      { 'My benchmark - time': 1, 'Vec<u8> n=10': 2 },
    ],
    [
      'METRIC lines among prose',
      { form: 'metric-lines', stdout: 'METRIC collection on\nMETRICS a=b\nMETRIC a=1' },
      { a: 1 },
    ],
    [
      'METRIC lines beside what a tool reports about itself',
      { stdout: 'The METRIC is on\nTHE_METRICS a=2\n{"level":"info"}\nMETRIC MY_METRIC=1' },
      { MY_METRIC: 1 },
    ],
    [
      'keys of one name in different objects',
      { stdout: '{"a":1,"b":{"a":2,"c":["a","a"]},"d":{"a":3}}' },
      { a: 1 },
    ],
    ['nan in a METRIC line', { stdout: 'METRIC a=NaN' }, { a: Number.NaN }],
    ['nan in two METRIC lines', { stdout: 'METRIC a=NaN\nMETRIC a=nan' }, { a: Number.NaN }],
    [
      'the last line although there are METRIC lines',
      { form: 'last-line', stdout: 'METRIC a=1\n5' },
      { score: 5 },
    ],
    ['a JSON file', { form: 'json-file', stdout: '1', file: '\ufeff{\n "a": 4\n}\n' }, { a: 4 }],
    ['a JSON file before stdout', { stdout: 'METRIC a=1\n2', file: '{"a":4}' }, { a: 4 }],
    ['benchmarks in the file', { file: benchmarks }, benchmarkMetrics],
    [
      'benchmarks in the file, when told',
      { form: 'benchmark', stdout: '[]', file: benchmarks },
      benchmarkMetrics,
    ],
    [
      'benchmarks as all of stdout',
      { form: 'benchmark', stdout: `${JSON.stringify(JSON.parse(benchmarks), null, 2)}\n` },
      benchmarkMetrics,
    ],
    ['benchmarks on the last line', { form: 'benchmark', stdout: `log\n${benchmarks}\n` }, benchmarkMetrics],
    ['names of Object itself', { stdout: '{"constructor":1,"toString":2}' }, { constructor: 1, toString: 2 }],
  ])('reads %s', (_what, given, metrics) => {
    expect(parse(given)).toEqual({ status: 'read', metrics })
  })

  it('reads a metric called __proto__ as a property like others', () => {
    for (const given of [{ stdout: '{"__proto__":1}' }, { stdout: 'METRIC __proto__=1' }]) {
      const result = parse(given)
      expect(result.status === 'read' && Object.entries(result.metrics)).toEqual([['__proto__', 1]])
    }
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  })
})

const BOTH =
  'stdout has METRIC lines and another line that reads as metrics; set evaluation.output.form to the one that counts'

const GLUED =
  "a METRIC form is not at its line's start; print a newline before it, and keep candidates' output off this stdout"

describe('what is refused, with what was seen', () => {
  const many = JSON.stringify(
    Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`m${index}`, index])),
  )

  it.each<[what: string, given: Case, reason: string]>([
    ['nothing at all', {}, 'stdout is empty'],
    [
      'METRIC lines of which some may be missing',
      { stdout: 'METRIC score=1\n[... 9 bytes left out ...]\nx', isCut: true },
      'stdout is longer than evaluation.max_output_bytes: METRIC lines may be missing; print less, or write a metrics file',
    ],
    ['blank lines', { stdout: ' \n\n' }, 'stdout is empty'],
    ['a unit', { stdout: '12 ms' }, 'the last line of stdout is neither a number nor a JSON object: 12 ms'],
    ['two numbers', { stdout: '1 2' }, 'the last line of stdout is neither a number nor a JSON object: 1 2'],
    [
      'a hexadecimal number',
      { stdout: '0x10' },
      'the last line of stdout is neither a number nor a JSON object: 0x10',
    ],
    [
      'separators',
      { stdout: '1,000' },
      'the last line of stdout is neither a number nor a JSON object: 1,000',
    ],
    ['a lone dot', { stdout: '.' }, 'the last line of stdout is neither a number nor a JSON object: .'],
    [
      'colours',
      { stdout: '\u001b[32m4\u001b[0m' },
      'the last line of stdout is neither a number nor a JSON object:  [32m4 [0m',
    ],
    ['an array', { stdout: '[1]' }, 'the last line of stdout is neither a number nor a JSON object: [1]'],
    ['half an object', { stdout: '{"a": 1' }, 'the last line of stdout is not JSON: {"a": 1'],
    ['NaN inside JSON', { stdout: '{"a": NaN}' }, 'the last line of stdout is not JSON: {"a": NaN}'],
    [
      'an object without numbers',
      { stdout: '{"a":"1"}' },
      'the last line of stdout has no numeric property: {"a":"1"}',
    ],
    [
      'a METRIC line with a unit',
      { stdout: 'METRIC a=1ms\n5' },
      'a METRIC line is not name=number: METRIC a=1ms',
    ],
    ['a METRIC line without a value', { stdout: 'METRIC a=' }, 'a METRIC line is not name=number: METRIC a='],
    ['a METRIC line without a name', { stdout: 'METRIC =1' }, 'a METRIC line is not name=number: METRIC =1'],
    [
      'METRIC lines before an object, which a candidate may have printed',
      { stdout: 'METRIC score=0.99\n{"score":0.5}' },
      `${BOTH}: {"score":0.5}`,
    ],
    ['METRIC lines before a number', { stdout: 'METRIC score=0.99\nlog\n0.5\n' }, `${BOTH}: 0.5`],
    [
      'METRIC lines after an object',
      { stdout: '{"score":0.5}\nMETRIC score=0.99' },
      `${BOTH}: {"score":0.5}`,
    ],
    [
      'METRIC lines before an object that is glued to what a candidate left without an end',
      { stdout: 'METRIC score=1\nx{"score":0.5}\n' },
      `${BOTH}: x{"score":0.5}`,
    ],
    [
      'METRIC lines before an object after which a candidate went on',
      { stdout: 'METRIC score=1\n{"score":0.5}\nbye\n' },
      `${BOTH}: {"score":0.5}`,
    ],
    [
      'a METRIC line that is glued to what a candidate left without an end',
      { stdout: 'METRIC ms=0.01\nxMETRIC ms=5\n' },
      `${GLUED}: xMETRIC ms=5`,
    ],
    [
      'a METRIC line that is glued to another, when told',
      { form: 'metric-lines', stdout: 'METRIC ms=0.01\nMETRIC other=1 METRIC My ms=5\n' },
      `${GLUED}: METRIC other=1 METRIC My ms=5`,
    ],
    ['a METRIC line that is glued, alone', { stdout: 'x METRIC ms=5\n7' }, `${GLUED}: x METRIC ms=5`],
    ['a key twice', { stdout: '{"ms":5,"ms":1}' }, 'the last line of stdout gives a key twice: ms'],
    [
      'a key twice, in other letters and behind what a string hides',
      { file: String.raw`{"ms":5,"log":{"a":"\"}]"},"m\u0073":1}` },
      'the metrics file gives a key twice: ms',
    ],
    [
      'a key twice in a benchmark',
      { file: '[{"name":"a","value":1,"value":2}]' },
      'the metrics file gives a key twice: value',
    ],
    [
      'METRIC lines that contradict each other, of which a candidate may have printed one',
      { stdout: 'METRIC score=0.5\nMETRIC score=1' },
      'a metric is given twice, as 0.5 and as 1: score',
    ],
    [
      'METRIC lines that contradict each other, when told',
      { form: 'metric-lines', stdout: 'METRIC a=1\nMETRIC a=nan' },
      'a metric is given twice, as 1 and as NaN: a',
    ],
    [
      'benchmarks that contradict each other',
      { file: '[{"name":"a","value":1},{"name":"b","value":1},{"name":"a","value":2}]' },
      'a metric is given twice, as 1 and as 2: a',
    ],
    ['no METRIC line', { form: 'metric-lines', stdout: '5' }, 'stdout has no line METRIC name=value: 5'],
    ['no file', { form: 'json-file', stdout: '5' }, 'the metrics file was not written'],
    ['an empty file', { file: '', stdout: '5' }, 'the metrics file is not JSON: (nothing)'],
    ['a number in the file', { file: '5' }, 'the metrics file is not a JSON object or array: 5'],
    [
      'an array where an object is due',
      { form: 'json-file', file: '[]' },
      'the metrics file is not a JSON object: []',
    ],
    ['no benchmarks', { file: '[]' }, 'the metrics file has no benchmark'],
    [
      'a benchmark without a number',
      { file: '[{"name":"a","value":"1"}]' },
      'the metrics file has an entry that is not {name, value}: [{"name":"a","value":"1"}]',
    ],
    [
      'a benchmark that is null',
      { form: 'benchmark', stdout: '[null]' },
      'the last line of stdout has an entry that is not {name, value}: [null]',
    ],
    ['too many', { stdout: many }, 'there are 65 metrics, more than 64'],
    [
      'a name with control characters',
      { stdout: '{"a\\u0007b":1}' },
      "a metric's name is empty, has control characters or is over 100 long: a b",
    ],
    [
      'an endless name',
      { stdout: `METRIC ${'x'.repeat(101)}=1` },
      `a metric's name is empty, has control characters or is over 100 long: ${'x'.repeat(101)}`,
    ],
    [
      'an array nested without end',
      { file: `[${'['.repeat(1e5)}${']'.repeat(1e5)}]` },
      `the metrics file has an entry that is not {name, value}: ${'['.repeat(120)}`,
    ],
    [
      'an endless number with a unit',
      { stdout: `${'1'.repeat(1e6)}x` },
      `the last line of stdout is neither a number nor a JSON object: ${'1'.repeat(120)}`,
    ],
    [
      'an endless line',
      { stdout: 'x\t'.repeat(1e5) },
      `the last line of stdout is neither a number nor a JSON object: ${'x '.repeat(60)}`,
    ],
  ])('refuses %s', (_what, given, reason) => {
    expect(parse(given)).toEqual({ status: 'unreadable', reason })
  })
})

describe('whatever the output', () => {
  const piece = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('METRIC ', 'a=', '1', '{', '}', '[', '\n', '\r', 'nan', '1e9', '\0', '"__proto__":1'),
  )
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))

  it('never throws, and gives bounded names and reasons', () => {
    const property = fc.property(
      text,
      fc.option(text, { nil: undefined }),
      fc.constantFrom(...METRICS_FORMS),
      (stdout, file, form) => {
        const result = parseMetrics({ stdout, file }, form, 'score')
        if (result.status === 'unreadable') expect(result.reason).toMatch(/^\P{C}{1,250}$/u)
        else expect(Object.keys(result.metrics).filter((name) => !/^\P{C}{1,100}$/u.test(name))).toEqual([])
      },
    )
    fc.assert(property, { seed: 1, numRuns: 2000 })
  })

  it('drops a number beyond its bounds if no objective and no axis needs it', () => {
    const stdout = '{"score":1,"p":3e-214,"size":2,"big":1e200,"nan":"x"}'
    expect(parseMetrics({ stdout }, 'auto', 'score')).toEqual({
      status: 'read',
      metrics: { score: 1, size: 2 },
    })
    expect(parseMetrics({ stdout }, 'auto', 'score', ['score', 'p'])).toEqual({
      status: 'unreadable',
      reason: 'a metric is too large or too small to calculate with (3e-214): p',
    })
  })

  it('reads back every finite number that a campaign can calculate with, and refuses the others', () => {
    const property = fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const usable = value === 0 || (Math.abs(value) >= 1e-100 && Math.abs(value) <= 1e100)
      expect(parse({ stdout: `${value}` })).toEqual(
        usable
          ? { status: 'read', metrics: { score: value === 0 ? 0 : value } }
          : { status: 'unreadable', reason: expect.stringContaining('too large or too small') },
      )
    })
    fc.assert(property, { seed: 2, numRuns: 500 })
  })
})
