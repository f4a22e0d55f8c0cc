import { join } from 'node:path'
import { findMarkedProcesses } from '../src/process/process-table.ts'
import { type Bench, type BenchOptions, type BenchReport, rounded, timeMs } from './bench.ts'
import { startBoxProcess, tokenOf } from './box-process.ts'
import { type Client, createClient } from './box-requests.ts'

const PARALLEL = 4

// Two jobs, an output between them, and processes that would stay if they were let: one in the background, one
// that leaves its group.
const WORKFLOW = `name: Bench
on: workflow_dispatch
jobs:
  first:
    runs-on: ubuntu-latest
    outputs:
      word: \${{ steps.say.outputs.word }}
    steps:
      - id: say
        run: |
          sleep 600 &
          setsid sleep 600 > /dev/null 2>&1 &
          echo "word=done" >> "$GITHUB_OUTPUT"
  second:
    needs: first
    runs-on: ubuntu-latest
    steps:
      - run: test "\${{ needs.first.outputs.word }}" = done
`

/** Workflow runs that are dispatched all at once. */
export const runnerBench: Bench = {
  about: 'workflow runs at once in the sandbox: time, memory, and what stays behind',
  run: measure,
}

async function measure({ quick, place, path, log }: BenchOptions): Promise<BenchReport> {
  const wanted = quick ? 12 : 100
  const box = await startBoxProcess({
    folder: join(place, 'state'),
    files: { '.github/workflows/bench.yml': WORKFLOW },
    app: { permissions: { actions: 'write', metadata: 'read' }, events: ['workflow_run'] },
    runner: { path, parallel: PARALLEL },
  })
  const client = createClient(box.apiUrl, tokenOf(box, 'wendy'), wanted)
  try {
    const ms = await timeMs(async () => {
      await Promise.all(Array.from({ length: wanted }, () => dispatch(client)))
      log(`${wanted} runs are dispatched`)
      await box.settle()
    })
    const leftover = findMarkedProcesses(`GITHUB_API_URL=${box.apiUrl}`).pids.length
    const memory = await box.settle()
    const [completed, succeeded] = await Promise.all([count(client, 'completed'), count(client, 'success')])
    const deviations = await box.close()
    return {
      headline: {
        seconds_per_run: rounded(ms / 1000 / wanted, 3),
        peak_mb: Math.round(memory.peakMb),
        leftover_processes: leftover,
      },
      details: {
        runs: wanted,
        parallel: PARALLEL,
        seconds: rounded(ms / 1000, 1),
        lost: wanted - completed,
        failed: completed - succeeded,
        deviations,
      },
    }
  } finally {
    client.close()
    box.kill()
  }
}

async function dispatch(client: Client): Promise<void> {
  const path = '/repos/acme/demo/actions/workflows/bench.yml/dispatches'
  const { status } = await client.call('POST', path, { ref: 'main' })
  if (status !== 204) throw new Error(`a dispatch was answered with ${status}`)
}

async function count(client: Client, status: string): Promise<number> {
  const { json } = await client.call('GET', `/repos/acme/demo/actions/runs?status=${status}&per_page=1`)
  return Number(json.total_count)
}
