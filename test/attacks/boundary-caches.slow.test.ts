import { describe, expect, it } from 'vitest'
import { runs } from '../../src/sandbox/actions/documents.ts'
import { openFolders } from '../e2e/open-folders.ts'
import { type CacheJob, startCacheJob } from '../sandbox/actions/cache-job.ts'
import { dispatchWorkflow, readRun } from '../sandbox/runner/runner-support.ts'
import type { TestBox } from '../sandbox/support.ts'
import { writeFiles } from '../support/repository.ts'
import { cachesOf, edited, startAttackBox } from './attack-box.ts'
import { type Attack, describeEnd } from './candidates/attacks.ts'
import { boundarySettings } from './candidates/boundary.ts'
import { leavePoison, POISON } from './candidates/cache-attack.ts'
import { aSolver } from './candidates/victim.ts'

const POISONER: Attack = { name: 'leaves a poisoned entry', work: leavePoison, end: 'harmless' }
const SORTED = aSolver('console.log(JSON.stringify({ answer: numbers.sort((a, b) => a - b) }))')
const HONEST: Attack = {
  name: 'does its work',
  work: (folder) => writeFiles(folder, { 'src/solve.mjs': SORTED }),
  end: 'harmless',
}

const LEFT = { key: POISON.key, ref: expect.stringMatching(/^refs\/heads\/loreley\/runner\//) }

// What maintainers do who build images in their set-up: an action hands the token on to all later steps.
const EXPORTER = {
  'tools/export/action.yml': 'name: Export\ndescription: Export\nruns: { using: node24, main: main.cjs }\n',
  'tools/export/main.cjs': `const { ACTIONS_RESULTS_URL, ACTIONS_RUNTIME_TOKEN, GITHUB_ENV, RUNNER_TEMP } = process.env
const lines = \`ACTIONS_RESULTS_URL=\${ACTIONS_RESULTS_URL}\\nACTIONS_RUNTIME_TOKEN=\${ACTIONS_RUNTIME_TOKEN}\\n\`
for (const file of [GITHUB_ENV, RUNNER_TEMP + '/build.env']) require('node:fs').appendFileSync(file, lines)
`,
}
const withExport = (template: string): string =>
  edited(template, '      # <<<\n', '      # <<<\n      - uses: ./tools/export\n')

// What the template tells nobody to do: it restores what an evaluation may have left, in the job with the key.
const RESTORES = `      - uses: actions/cache@v4
        with: { path: ${POISON.path}, key: ${POISON.key} }
      - run: echo "propose has $(cat ${POISON.path})"
`
const withRestore = (template: string): string =>
  edited(template, '      - name: Let the agent work\n', `${RESTORES}      - name: Let the agent work\n`)

describe('a poisoned entry in the Actions cache', () => {
  it.each([
    { level: 'namespace', exported: true, end: 'harmless', entries: [] },
    { level: 'user', exported: false, end: 'harmless', entries: [] },
    // By the file alone, which everybody may read.
    { level: 'user', exported: true, end: 'scored 0.8', entries: [LEFT] },
    { level: 'none', exported: true, end: 'scored 0.9', entries: [LEFT] },
  ])(
    'a poisoned cache entry at level $level with the token exported: $exported ends as $end',
    async (each) => {
      const { evaluation } = boundarySettings(each.level)
      const { action, run } = await startAttackBox([POISONER], {
        // With the network, so that nothing but the token is missing.
        settings: { evaluation: { ...evaluation, network: 'host' } },
        files: EXPORTER,
        editTemplate: (template) => openFolders(each.exported ? withExport(template) : template),
      })
      const { entry, finished } = await run(1)
      expect(describeEnd(entry)).toBe(each.end)
      expect(finished.result?.isolation?.level).toBe(each.level)
      expect(await cachesOf(action.box)).toMatchObject(each.entries)
    },
  )

  it('a poisoned cache entry reaches neither the next propose nor the default branch', async () => {
    const { action, run } = await startAttackBox([POISONER, HONEST], { settings: boundarySettings('none') })
    const { box } = action
    const poisoner = (await run(1)).finished.run
    const [left, ...more] = await cachesOf(box)
    expect(left).toMatchObject(LEFT)
    expect(more).toEqual([])
    const next = await run(2)
    expect(describeEnd(next.entry)).toBe('scored 1')
    expect(next.finished.run.log('propose')).not.toMatch(/cache/i)
    expect(await cachesOf(box)).toEqual([left])
    // The same client finds the poison where it is, and nothing at all by the same keys on the default branch.
    const all = [POISON.key, ['']] as const
    expect(await (await jobOf(box, poisoner.id)).restore(...all)).toMatchObject({ text: POISON.text })
    const onMain = await dispatchWorkflow(box, { kind: 'validate' }, 'loreley.yml')
    await box.runner?.settled()
    expect((await readRun(box, onMain)).conclusion).toBe('success')
    expect(await (await jobOf(box, onMain)).restore(...all)).toBeUndefined()
  })

  it('a poisoned cache entry would arrive if propose restored it', async () => {
    const { run } = await startAttackBox([POISONER, HONEST], {
      settings: boundarySettings('none'),
      editTemplate: withRestore,
    })
    expect((await run(1)).finished.run.log('propose')).not.toContain(`propose has ${POISON.text}`)
    expect((await run(2)).finished.run.log('propose')).toContain(`propose has ${POISON.text}`)
  })
})

async function jobOf(box: TestBox, runId: number): Promise<CacheJob> {
  const run = runs(box.box.store).find(runId)
  if (run === undefined) throw new Error('there is no such run')
  return await startCacheJob(box, run)
}
