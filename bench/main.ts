import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readEnvironment } from '../src/config/environment/environment.ts'
import { createGitEnvironment } from '../src/git/command.ts'
import { aaBench } from './aa.ts'
import { actionBench } from './action.ts'
import { agentBench } from './agent.ts'
import { apiBench } from './api.ts'
import { archiveBench } from './archive.ts'
import type { Bench } from './bench.ts'
import { boxBench } from './box.ts'
import { demoSeeds } from './demo-seeds.ts'
import { embedBench } from './embed.ts'
import { isolationBench } from './isolation.ts'
import { overhead } from './overhead.ts'
import { renderReport } from './render.ts'
import { runnerBench } from './runner.ts'
import { searchBench } from './search.ts'
import { spaceBench } from './space.ts'
import { stallBench } from './stall.ts'
import { tickBench } from './tick.ts'

const BENCHES = new Map<string, Bench>([
  ['action', actionBench],
  ['agent', agentBench],
  ['aa', aaBench],
  ['api', apiBench],
  ['archive', archiveBench],
  ['box', boxBench],
  ['demo-seeds', demoSeeds],
  ['embed', embedBench],
  ['isolation', isolationBench],
  ['overhead', overhead],
  ['runner', runnerBench],
  ['search', searchBench],
  ['space', spaceBench],
  ['stall', stallBench],
  ['tick', tickBench],
])

interface Choice {
  readonly name: string
  readonly bench: Bench
  readonly json: boolean
  readonly quick: boolean
}

function readChoice(args: readonly string[]): Choice | string {
  const options = {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  } as const
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [name = '', ...rest] = positionals
    const bench = BENCHES.get(name)
    if (bench === undefined || rest.length > 0) return `There is no benchmark "${positionals.join(' ')}".`
    return { name, bench, json: values.json, quick: values.quick }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function renderUsage(): string {
  const lines = [...BENCHES].map(([name, { about }]) => `  ${name.padEnd(12)}${about}`)
  return ['Usage: npm run bench -- NAME [--json] [--quick]', ...lines].join('\n')
}

async function main(): Promise<void> {
  const choice = readChoice(process.argv.slice(2))
  if (typeof choice === 'string') {
    console.error(`${choice}\n${renderUsage()}`)
    process.exitCode = 2
    return
  }
  const { name, bench, json, quick } = choice
  const place = await mkdtemp(join(tmpdir(), `loreley-bench-${name}-`))
  // An exit hook, not `finally`: Ctrl-C must not leave workspaces behind.
  process.on('exit', () => rmSync(place, { recursive: true, force: true, maxRetries: 5 }))
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => process.exit(code))
  }
  const report = await bench.run({
    quick,
    place,
    gitEnvironment: createGitEnvironment(process.env),
    path: readEnvironment().path,
    log: (message) => console.error(message),
  })
  console.log(
    json
      ? JSON.stringify({ bench: name, headline: report.headline, ...report.details })
      : renderReport(name, report),
  )
}

await main()
