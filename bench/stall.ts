import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Bench, type BenchOptions, type BenchReport, median, rounded } from './bench.ts'
import { type Input, PARSERS, type Parser } from './stall-inputs.ts'

/** Whether text from strangers can stop a server. */
export const stallBench: Bench = {
  about: 'processor time of the longest stall that foreign text can cause, for each parser and size',
  run: runStall,
}

const SHARES = [1 / 8, 1 / 4, 1 / 2, 1]
const RUNS = 3
// Below this, start-up costs hide how the time grows.
const LEAST_MS = 5

interface Row {
  readonly parser: string
  readonly worst_input: string
  readonly limit_kb: number
  readonly stall_ms: number
  /** The exponent of the time over the size: 1 is proportional. The largest of all inputs with a measurable time. */
  readonly growth: number
}

async function runStall({ quick, log }: BenchOptions): Promise<BenchReport> {
  const rows: Row[] = []
  for (const parser of PARSERS) {
    rows.push(await measureParser(parser, quick ? 1 : RUNS))
    log(`${parser.name}: done`)
  }
  return {
    headline: {
      longest_stall_ms: Math.max(...rows.map((row) => row.stall_ms)),
      largest_growth: Math.max(...rows.map((row) => row.growth)),
    },
    details: { parsers: rows },
  }
}

async function measureParser({ name, limitBytes, inputs }: Parser, runs: number): Promise<Row> {
  const stalls = new Map<string, number[]>()
  for (const share of SHARES) {
    for (const input of inputs(limitBytes * share)) {
      const times: number[] = []
      for (let run = 0; run < runs; run++) times.push(await longestStall(input))
      stalls.set(input.name, [...(stalls.get(input.name) ?? []), median(times)])
    }
  }
  // A text below the limit may cost more than one that is refused for its size.
  const worst = [...stalls].map(([input, times]) => ({
    input,
    ms: Math.max(...times),
    growth: growthOf(times),
  }))
  const [slowest] = worst.toSorted((a, b) => b.ms - a.ms)
  return {
    parser: name,
    worst_input: slowest?.input ?? '',
    limit_kb: limitBytes / 1024,
    stall_ms: rounded(slowest?.ms ?? 0, 1),
    growth: rounded(Math.max(0, ...worst.map(({ growth }) => growth))),
  }
}

/** The most processor time between two turns of the event loop, in milliseconds. */
async function longestStall({ parse }: Input): Promise<number> {
  let isDone = false
  const work = async (): Promise<void> => {
    try {
      await parse()
    } catch {
      // A refusal is an answer like any other.
    } finally {
      isDone = true
    }
  }
  let longest = 0
  let before = process.cpuUsage()
  const working = work()
  do {
    const { user, system } = process.cpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.cpuUsage()
    await nextTurn()
  } while (!isDone)
  await working
  return longest
}

// From the last doubling of the size: what matters is where it leads.
function growthOf(times: readonly number[]): number {
  const [half = 0, whole = 0] = times.slice(-2)
  return half < LEAST_MS ? 0 : Math.log2(whole / half)
}
