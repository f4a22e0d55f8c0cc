import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../../../src/agents/agent.ts'
import { createCommandAgent } from '../../../src/agents/command/agent.ts'
import { anAgent } from '../../support/agents/agents.ts'
import { aFolder, writeFiles } from '../../support/repository.ts'

/** Writes a line to a log again and again: it runs, and could learn whose turn it is. */
const watchesFor = (times: number, log: string) =>
  `n=0; while [ $n -lt ${times} ]; do n=$((n + 1)); echo watching >> ${log}; sleep 0.02; done`

/** Waits until so many measurements began since now, or it is clear that none will: a bound, not a measure. */
async function untilMeasured(log: string): Promise<void> {
  const count = () => readFileSync(log, 'utf8').split('begin').length
  const before = count()
  for (let tries = 0; tries < 100 && count() === before; tries++)
    await new Promise((resolve) => setTimeout(resolve, 20))
}

// The first candidate is ready at once, the second when the first is being measured. Its check watches.
const checker = (log: string): Agent => {
  let next = 0
  const agent = anAgent(async (folder) => {
    const mine = ++next
    if (mine === 2) await untilMeasured(log)
    writeFiles(folder, { 'src/watch.sh': `: ${mine}\n${mine === 2 ? watchesFor(15, '"$1"') : ''}\n` })
  })
  return { ...agent, canRework: true }
}

// Both are programs: the second watches as long as it works.
const program = (log: string): Agent => {
  const second = join(aFolder(), 'second')
  const code = `if mkdir ${second}; then echo ': 1' > src/watch.sh; else echo ': 2' > src/watch.sh; ${watchesFor(60, log)}; fi`
  const config = { code, brief: 'stdin' as const, environment: [] }
  return createCommandAgent({ config, timeoutMs: 60_000, path: process.env.PATH ?? '', environment: {} })
}

/** What runs beside a measurement: the second of two candidates watches while the first is measured. */
export const WATCHERS = [
  { name: 'watches from a check', createAgent: checker },
  { name: "watches from an agent's program", createAgent: program },
] as const
