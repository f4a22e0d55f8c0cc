import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentTask } from '../src/agents/agent.ts'
import { Meter } from '../src/agents/meter.ts'
import { createOpenAiAgent } from '../src/agents/openai/agent.ts'
import { renderRepoMap } from '../src/agents/repo-map/render.ts'
import { searchText } from '../src/agents/tools/reading.ts'
import { Transcript } from '../src/agents/transcript.ts'
import { rngFor } from '../src/core/rng.ts'
import { anAgentConfig } from '../test/support/agents/agent-config.ts'
import { type Asked, startOpenAiServer, type Turn } from '../test/support/agents/openai-server.ts'
import { aBrief } from '../test/support/builders.ts'
import { type Bench, type BenchOptions, type BenchReport, rounded, timeMs } from './bench.ts'

const FOLDERS = 200
const TURNS = 60

/** What an agent on a model costs beyond the model, in a large repository. */
export const agentBench: Bench = {
  about: 'what the agent openai costs beyond its model, in 20,000 files',
  run: runAgentBench,
}

async function runAgentBench({ quick, place, log }: BenchOptions): Promise<BenchReport> {
  const count = quick ? 2000 : 20_000
  log(`writing ${count} files`)
  const paths = await createFiles(place, count)
  const task = createTask(place, paths)
  const order = { focus: 'parser', maxBytes: 8000, signal: task.signal }
  const mapMs = await timeMs(() => renderRepoMap(task.workspace, order))
  const context = { workspace: task.workspace, signal: task.signal, focus: '', spendBytes: () => true }
  const searchMs = await timeMs(() => searchText.run('{"text":"nowhere to be found"}', context))
  log(`${TURNS} turns with a model that answers at once`)
  const turnMs = await measureTurns(task)
  return {
    headline: {
      overhead_ms_per_turn: rounded(turnMs),
      peak_mb: Math.round(process.resourceUsage().maxRSS / 1024),
      repo_map_s: rounded(mapMs / 1000),
    },
    details: { files: count, turns: TURNS, whole_search_s: rounded(searchMs / 1000) },
  }
}

async function createFiles(place: string, count: number): Promise<string[]> {
  const paths = Array.from({ length: count }, (_, index) => `src/part-${index % FOLDERS}/file-${index}.js`)
  for (let folder = 0; folder < FOLDERS; folder++)
    await mkdir(join(place, 'src', `part-${folder}`), { recursive: true })
  for (const [index, path] of paths.entries()) await writeFile(join(place, path), renderModule(index, count))
  return paths.sort()
}

function renderModule(index: number, count: number): string {
  const other = (index * 7) % Math.min(count, 997)
  const functions = Array.from(
    { length: 8 },
    (_, part) =>
      `export function step${index}_${part}(x) {\n  const y = x * ${part} + ${index}\n  return base(y)\n}\n`,
  )
  return `import { base } from '../part-${other % FOLDERS}/file-${other}.js'\n\n${functions.join('\n')}`
}

function createTask(folder: string, editablePaths: readonly string[]): AgentTask {
  return {
    brief: aBrief(),
    rng: rngFor(1, 1, 'bench'),
    signal: new AbortController().signal,
    meter: new Meter(),
    transcript: new Transcript(),
    workspace: {
      ...{ folder, scratch: folder, owner: folder, editablePaths },
      canEdit: () => true,
      readAt: async () => undefined,
      diffFromRoot: async () => undefined,
    },
  }
}

/** A model that reads and edits alternately, and needs no time to think: all the time is ours. */
async function measureTurns(task: AgentTask): Promise<number> {
  const server = await startOpenAiServer(answer)
  const { openai, limits } = anAgentConfig({ base_url: server.url })
  if (openai === undefined) throw new RangeError('the config has no openai')
  const generous = { ...limits, turns: TURNS + 1, tokens: 100_000_000 }
  const agent = createOpenAiAgent({ config: openai, limits: generous, key: 'none' })
  const ms = await timeMs(() => agent.code(task, { text: '' }))
  const turns = server.asked.length
  await server.close()
  return ms / turns
}

function answer({ body }: Asked): Turn {
  const turn = body.messages.filter(({ role }) => role === 'assistant').length
  if (turn >= TURNS) return { text: 'done' }
  const index = turn >> 1
  const path = `src/part-${index % FOLDERS}/file-${index}.js`
  const call =
    turn % 2 === 0
      ? { name: 'read_file', arguments: { path } }
      : { name: 'edit_file', arguments: { path, old: `* 3 + ${index}`, new: `* 4 + ${index}` } }
  return { calls: [call] }
}
