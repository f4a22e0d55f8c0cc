import { countValues } from '../../core/count-values.ts'
import { MAX_NAME_CHARACTERS, METRIC_NAME } from '../../core/measuring/objective.ts'
import { isUsableMetric } from '../../core/number-bounds.ts'

/** How an evaluator gives its numbers. */
export const METRICS_FORMS = ['auto', 'last-line', 'metric-lines', 'json-file', 'benchmark'] as const
/** One of the forms; `auto` takes what it finds. */
export type MetricsForm = (typeof METRICS_FORMS)[number]

/** What an evaluator left: its stdout, and the content of the metrics file if it wrote one. */
export interface EvaluatorOutput {
  readonly stdout: string
  /** Something is missing in the middle of stdout. */
  readonly isCut?: boolean | undefined
  readonly file?: string | undefined
}

/** Non-finite numbers are read, not refused: the engine refuses them by the metric's name. */
export type MetricsResult =
  | { readonly status: 'read'; readonly metrics: Readonly<Record<string, number>> }
  | { readonly status: 'unreadable'; readonly reason: string }

type Unreadable = Extract<MetricsResult, { status: 'unreadable' }>
type Pair = readonly [name: string, value: number]

const MAX_METRICS = 64
// Of which 64 can be metrics; the others are for people. A candidate that floods the document must not stop its host.
const MAX_VALUES = 20_000
const MAX_EXCERPT_CHARACTERS = 120

/**
 * Reads the metrics from an evaluator's output. A candidate may have written part of it, so nothing is guessed: output
 * that does not fit the form is refused, with an excerpt. `defaultMetric` names a lone number. A number that a campaign
 * cannot calculate with is refused in the needed metrics, and dropped from the others.
 */
export function parseMetrics(
  output: EvaluatorOutput,
  form: MetricsForm,
  defaultMetric: string,
  needed: readonly string[] = [defaultMetric],
): MetricsResult {
  const result = parseForm(output, form, defaultMetric)
  if (result.status === 'unreadable') return result
  const isBeyond = ([, value]: Pair): boolean => Number.isFinite(value) && !isUsableMetric(value)
  const pairs = Object.entries(result.metrics)
  const bad = pairs.find((pair) => isBeyond(pair) && needed.includes(pair[0]))
  if (bad !== undefined)
    return unreadable(`a metric is too large or too small to calculate with (${bad[1]})`, bad[0])
  return { status: 'read', metrics: Object.fromEntries(pairs.filter((pair) => !isBeyond(pair))) }
}

function parseForm(output: EvaluatorOutput, form: MetricsForm, defaultMetric: string): MetricsResult {
  switch (form) {
    case 'last-line':
      return parseLastLine(output.stdout, defaultMetric)
    case 'metric-lines':
      return parseMetricLines(output) ?? unreadable('stdout has no line METRIC name=value', output.stdout)
    case 'json-file':
      if (output.file === undefined) return unreadable('the metrics file was not written')
      return parseDocument(output.file, 'the metrics file', ['object'])
    case 'benchmark':
      if (output.file !== undefined) return parseDocument(output.file, 'the metrics file', ['array'])
      return parseBenchmarkOutput(output.stdout)
    case 'auto':
      if (output.file !== undefined)
        return parseDocument(output.file, 'the metrics file', ['object', 'array'])
      return parseEitherForm(output, defaultMetric)
  }
}

/**
 * METRIC lines or the last line. Where both are present, neither is taken: a candidate that can write to the
 * evaluator's stdout could add the other form, and so choose which number counts.
 */
function parseEitherForm(output: EvaluatorOutput, defaultMetric: string): MetricsResult {
  const { stdout } = output
  const lines = parseMetricLines(output)
  if (lines === undefined) return parseLastLine(stdout, defaultMetric)
  if (lines.status === 'unreadable') return lines
  const others = splitLines(stdout).filter((line) => line !== '' && !isMetricLine(line))
  const rival = others.find(holdsObject) ?? others.slice(-1).find((line) => parseNumber(line) !== undefined)
  if (rival === undefined) return lines
  return unreadable(
    'stdout has METRIC lines and another line that reads as metrics; set evaluation.output.form to the one that counts',
    rival,
  )
}

// Anywhere on any line: a candidate may have written without a newline before the evaluator's object, or after it.
function holdsObject(line: string): boolean {
  return /\{\s*"/.test(line) && /"\s*:\s*[-\d]/.test(line)
}

function parseLastLine(stdout: string, defaultMetric: string): MetricsResult {
  const line = findLastLine(stdout)
  if (line === undefined) return unreadable('stdout is empty')
  const number = parseNumber(line)
  if (number !== undefined) return collect([[defaultMetric, number]])
  if (line.startsWith('{')) return parseDocument(line, 'the last line of stdout', ['object'])
  return unreadable('the last line of stdout is neither a number nor a JSON object', line)
}

/** Undefined when no line claims to be one: then another form may apply. */
function parseMetricLines({ stdout, isCut }: EvaluatorOutput): MetricsResult | undefined {
  const pairs: Pair[] = []
  for (const line of splitLines(stdout)) {
    if (hasMetricInside(line))
      return unreadable(
        "a METRIC form is not at its line's start; print a newline before it, and keep candidates' output off this stdout",
        line,
      )
    if (!isMetricLine(line)) continue
    // The last `=`: a name may hold one too, as in "sort n=1000".
    const [, name = '', text = ''] = /^METRIC\s+(.*)=(.*)$/.exec(line) ?? []
    const value = parseNumber(text.trim())
    if (name.trim() === '' || value === undefined) return unreadable('a METRIC line is not name=number', line)
    pairs.push([name.trim(), value])
  }
  // A candidate that floods stdout could choose which METRIC lines are left.
  if (pairs.length > 0 && isCut === true)
    return unreadable(
      'stdout is longer than evaluation.max_output_bytes: METRIC lines may be missing; print less, or write a metrics file',
    )
  return pairs.length === 0 ? undefined : collect(pairs)
}

// A line that begins with METRIC and holds no `=` is prose.
function isMetricLine(line: string): boolean {
  return /^METRIC\s.*=/.test(line)
}

// If a candidate ends its output without a newline, the evaluator's METRIC line is glued to it and no longer counts;
// only the candidate's own METRIC lines would.
function hasMetricInside(line: string): boolean {
  const at = line.slice(1).search(/METRIC\s/)
  return at >= 0 && line.includes('=', at + 1)
}

// A tool may print its log first and the array as one line at the end.
function parseBenchmarkOutput(stdout: string): MetricsResult {
  const line = findLastLine(stdout)
  if (line === undefined) return unreadable('stdout is empty')
  const whole = parseDocument(stdout, 'stdout', ['array'])
  return whole.status === 'read' ? whole : parseDocument(line, 'the last line of stdout', ['array'])
}

function parseDocument(
  text: string,
  source: string,
  allowed: readonly ('object' | 'array')[],
): MetricsResult {
  let content: unknown
  try {
    content = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return unreadable(`${source} is not JSON`, text)
  }
  if (!Array.isArray(content) && countValues(content, MAX_VALUES) > MAX_VALUES)
    return unreadable(`${source} holds more than ${MAX_VALUES} values`, text)
  const repeated = findRepeatedKey(text)
  if (repeated !== undefined) return unreadable(`${source} gives a key twice`, repeated)
  if (Array.isArray(content) && allowed.includes('array')) return collectBenchmarks(content, source, text)
  if (isObject(content) && !Array.isArray(content) && allowed.includes('object'))
    return collectNumbers(content, source, text)
  return unreadable(`${source} is not a JSON ${allowed.join(' or ')}`, text)
}

/** The numeric properties; text, booleans and nested objects are for people. */
function collectNumbers(object: object, source: string, text: string): MetricsResult {
  const pairs = Object.entries(object).flatMap(([name, value]: [string, unknown]): Pair[] =>
    typeof value === 'number' ? [[name, value]] : [],
  )
  return pairs.length === 0 ? unreadable(`${source} has no numeric property`, text) : collect(pairs)
}

/** github-action-benchmark's customBiggerIsBetter and customSmallerIsBetter. */
function collectBenchmarks(entries: readonly unknown[], source: string, text: string): MetricsResult {
  const pairs: Pair[] = []
  for (const entry of entries) {
    const { name, value }: { name?: unknown; value?: unknown } = isObject(entry) ? entry : {}
    if (typeof name !== 'string' || typeof value !== 'number') {
      return unreadable(`${source} has an entry that is not {name, value}`, text)
    }
    pairs.push([name, value])
  }
  return pairs.length === 0 ? unreadable(`${source} has no benchmark`) : collect(pairs)
}

/**
 * Refuses a name with two values: one of them may be the candidate's. Built from entries, so that a metric called
 * `__proto__` is an ordinary property.
 */
function collect(pairs: readonly Pair[]): MetricsResult {
  const metrics = new Map<string, number>()
  for (const [name, value] of pairs) {
    if (name.length > MAX_NAME_CHARACTERS || !METRIC_NAME.test(name)) {
      return unreadable(
        `a metric's name is empty, has control characters or is over ${MAX_NAME_CHARACTERS} long`,
        name,
      )
    }
    const other = metrics.get(name) ?? value
    if (other !== value && !Object.is(other, value))
      return unreadable(`a metric is given twice, as ${other} and as ${value}`, name)
    metrics.set(name, value)
  }
  if (metrics.size > MAX_METRICS)
    return unreadable(`there are ${metrics.size} metrics, more than ${MAX_METRICS}`)
  return { status: 'read', metrics: Object.fromEntries(metrics) }
}

/** Decimal or scientific and nothing after it; `nan` and `inf` as Python, C and JavaScript print them. */
function parseNumber(text: string): number | undefined {
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text)
  const [, sign, word] = /^([+-]?)(nan|inf(?:inity)?)$/i.exec(text) ?? []
  if (word === undefined) return undefined
  if (word.toLowerCase() === 'nan') return Number.NaN
  return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

function findLastLine(stdout: string): string | undefined {
  return splitLines(stdout).findLast((line) => line !== '')
}

// A progress bar ends its lines with a bare carriage return.
function splitLines(text: string): string[] {
  return text.split(/[\r\n]+/).map((line) => line.trim())
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function unreadable(problem: string, seen?: string): Unreadable {
  if (seen === undefined) return { status: 'unreadable', reason: problem }
  const excerpt = seen.trim().slice(0, MAX_EXCERPT_CHARACTERS).replace(/\p{C}/gu, ' ')
  return { status: 'unreadable', reason: `${problem}: ${excerpt === '' ? '(nothing)' : excerpt}` }
}

// In valid JSON, strings and punctuation are enough to find keys.
const TOKENS = /"(?:\\.|[^"\\])*"|[{}[\]:]/g

/**
 * The first key that an object in a JSON text repeats, at any depth. `JSON.parse` silently keeps the last value. The
 * text must be valid JSON.
 */
function findRepeatedKey(json: string): string | undefined {
  const open: Set<string>[] = []
  let last = ''
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (token !== ':') last = token
    else {
      // Decoded before comparing: "m\u0073" is "ms".
      const key = last.includes('\\') ? String(JSON.parse(last)) : last.slice(1, -1)
      const keys = open.at(-1)
      if (keys?.has(key)) return key
      keys?.add(key)
    }
  }
  return undefined
}
