import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { LoreleyError } from '../src/errors.ts'
import type { DispatchInputs } from '../src/protocol/dispatch.ts'
import { CONFIG_TEXT, publishCampaign } from './action-campaign.ts'
import { type Bench, type BenchOptions, type BenchReport, median, rounded, timeMs } from './bench.ts'
import { type BoxProcess, startBoxProcess, tokenOf } from './box-process.ts'
import { type Client, createClient } from './box-requests.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

/** What the action costs: its size, its start, and what a candidate takes in the box beyond agent and evaluator. */
export const actionBench: Bench = {
  about: "the action: its bundle's size and start, and a candidate's time beyond agent and evaluator",
  run: measure,
}

async function measure(options: BenchOptions): Promise<BenchReport> {
  const repository = join(options.place, 'repository')
  const main = await buildAction(repository)
  const bytes = (await stat(main)).size
  const starts = await measureStarts(main, options.quick ? 9 : 31)
  options.log('starts are measured')
  const seconds = await measureCandidates(options, repository)
  const typical = (which: 'action' | 'node', time: keyof Start): number =>
    median(starts[which].map((start) => start[time]))
  const ratio = (time: keyof Start): number => rounded(typical('action', time) / typical('node', time))
  return {
    headline: {
      bundle_mb: rounded(bytes / 1e6),
      // Of processor time: how many others wait for one changes the time on the wall, and more so for the longer.
      start_ratio: ratio('processorMs'),
      overhead_s: rounded(median(seconds)),
    },
    details: {
      start_ratio_on_the_wall: ratio('wallMs'),
      processor_ms: { action: typical('action', 'processorMs'), node: typical('node', 'processorMs') },
      wall_ms: { action: typical('action', 'wallMs'), node: typical('node', 'wallMs') },
      candidate_s: seconds.map((each) => rounded(each)).join(' '),
    },
  }
}

/** Builds the action from the sources as they are; gives its main file. */
async function buildAction(repository: string): Promise<string> {
  const action = join(repository, 'action')
  await mkdir(action, { recursive: true })
  await cp(join(ROOT, 'action/action.yml'), join(action, 'action.yml'))
  await run(process.execPath, ['scripts/build-action.mjs', '--out', join(action, 'dist')], { cwd: ROOT })
  return join(action, 'dist/main.mjs')
}

/** One start of a process: how long it took, and how much of a processor. */
interface Start {
  readonly wallMs: number
  readonly processorMs: number
}

// In turns, so that a busy moment meets both. Without inputs the action starts and refuses.
async function measureStarts(main: string, rounds: number): Promise<Record<'action' | 'node', Start[]>> {
  const starts: Record<'action' | 'node', Start[]> = { action: [], node: [] }
  for (let round = 0; round < rounds; round++) {
    starts.node.push(await timeStart(['-e', '0']))
    starts.action.push(await timeStart([main]))
  }
  return starts
}

// The shell tells the times of its child; Node has no word for them.
async function timeStart(args: readonly string[]): Promise<Start> {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null 2>&1; exit 0'
  const { stderr } = await run('bash', ['--norc', '-c', script, 'bash', process.execPath, ...args], {
    env: {},
  })
  const [wall = 0, user = 0, system = 0] = stderr.trim().split(' ').map(Number)
  return { wallMs: wall * 1000, processorMs: (user + system) * 1000 }
}

async function measureCandidates(options: BenchOptions, repository: string): Promise<number[]> {
  const workflow = await readFile(join(ROOT, 'workflows-templates/loreley.yml'), 'utf8')
  const box = await startBoxProcess({
    folder: join(options.place, 'box'),
    files: {
      '.loreley.yml': CONFIG_TEXT,
      '.github/workflows/loreley.yml': workflow,
      'src/a.txt': 'one\n',
    },
    app: { permissions: { metadata: 'read' }, events: [] },
    runner: { path: options.path, parallel: 1 },
    actionFolders: { 'loreley-evolution/loreley': repository },
  })
  const client = createClient(box.apiUrl, tokenOf(box, 'wendy'), 1)
  try {
    const url = `${new URL(box.apiUrl).origin}/acme/demo.git`
    const remote = { url, token: tokenOf(box, 'olivia') }
    const inputs = await publishCampaign(remote, join(options.place, 'clone'), options.gitEnvironment)
    const seconds: number[] = []
    // The same candidate again and again: each run finds the same state, and nothing of the one before.
    for (let count = options.quick ? 3 : 12; count > 0; count--) {
      seconds.push((await timeMs(() => runCandidate(box, client, inputs))) / 1000)
      options.log(`a candidate took ${rounded(seconds.at(-1) ?? 0)} s`)
    }
    await box.close()
    return seconds
  } finally {
    client.close()
    box.kill()
  }
}

async function runCandidate(box: BoxProcess, client: Client, inputs: DispatchInputs): Promise<void> {
  const repo = '/repos/acme/demo/actions'
  const body = { ref: 'loreley/runner/bench', inputs, return_run_details: true }
  const sent = await client.call('POST', `${repo}/workflows/loreley.yml/dispatches`, body)
  await box.settle()
  const ended = await client.call('GET', `${repo}/runs/${sent.json.workflow_run_id}`)
  if (ended.json.conclusion === 'success') return
  const hint = 'Run the same workflow with `loreley sandbox` and read the log of the run.'
  throw new LoreleyError('internal', `A candidate's run ended with ${ended.json.conclusion}.`, hint)
}
