import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { parseConfig } from '../../src/config/file/parse.ts'
import { localFolders } from '../../src/local/local-folders.ts'
import { runLocally } from '../../src/local/local-run.ts'
import { openGit } from '../../src/store/open-git.ts'
import { aFolder, aRepository, gitEnvironment } from '../support/repository.ts'
import { WATCHERS } from './candidates/watchers.ts'

// Everybody writes lines to one file: their order tells who ran while somebody was measured. The root runs first, alone.
const measures = (work: string) => `echo begin >> "$1"; ${work}; sleep 0.05; echo end >> "$1"`
// A candidate's run lasts until somebody watches, or for a while.
const WAITS =
  'n=0; until grep -q "the root" src/watch.sh || grep -q watching "$1" || [ $n = 100 ]; do n=$((n + 1)); sleep 0.05; done'
const NOISE = 'n=$(wc -l < "$1"); echo $((100 + n % 3))'

/** Runs two candidates at once, and returns what was written while one was measured. */
async function watch(kind: 'varies' | 'steady', createAgent: (log: string) => Agent) {
  const log = join(aFolder(), 'log')
  writeFileSync(log, '')
  const command = `sh "$LORELEY_TRUSTED/measure.sh" ${log}`
  const settings = {
    goal: 'x',
    scope: { editable: ['src/**'] },
    objectives: [{ metric: 'score', direction: 'maximize' }],
    agent: { check: `sh src/watch.sh ${log}` },
    evaluation: {
      ...{ command, isolation: 'none', baseline_runs: 2 },
      sampling: { min_pairs: 2, max_pairs: 4, confidence: 0.8, smallest_gain: 1 },
    },
    search: { policy: 'independent' },
    limits: { candidates: 2, same_failure: 100 },
  }
  const repository = aRepository({
    '.loreley.yml': JSON.stringify(settings),
    'measure.sh': kind === 'varies' ? `${measures(':')}; ${NOISE}\n` : `${measures(WAITS)}; echo 100\n`,
    'src/watch.sh': ': the root does not watch\n',
  })
  const git = await openGit(repository, gitEnvironment)
  onTestFinished(() => git.close())
  const [config] = parseConfig(JSON.stringify(settings), '.loreley.yml').campaigns.values()
  if (config === undefined) throw new Error('no campaign')
  const cache = aFolder()
  await runLocally({
    ...{ git, config, agent: createAgent(log), parallel: 2, passedEnvironment: {} },
    folders: localFolders(git.repository, cache, config.name),
    path: process.env.PATH ?? '',
    home: aFolder(),
    signal: new AbortController().signal,
    reporter: { started: () => undefined, finished: () => undefined, warned: () => undefined },
  })
  return findWatching(readFileSync(log, 'utf8').split('\n'))
}

/** How often somebody watched at all, and how often while a candidate or the root was measured. */
function findWatching(lines: readonly string[]) {
  let measured = 0
  let during = 0
  for (const line of lines) {
    if (line === 'begin') measured++
    if (line === 'end') measured--
    if (line === 'watching' && measured > 0) during++
  }
  return { watched: lines.filter((line) => line === 'watching').length, during }
}

describe('a process that watches measurements from beside', () => {
  it.each(WATCHERS)(
    'a process that $name does not run while somebody is measured',
    async ({ createAgent }) => {
      const { watched, during } = await watch('varies', createAgent)
      expect(watched).toBeGreaterThanOrEqual(15)
      expect(during).toBe(0)
    },
    60_000,
  )

  // Numbers that do not vary cannot be swayed, so nobody has to wait.
  it.each(WATCHERS.slice(0, 1))(
    'a process that $name runs beside measurements that do not vary',
    async ({ createAgent }) => {
      const { during } = await watch('steady', createAgent)
      expect(during).toBeGreaterThan(0)
    },
    60_000,
  )
})
