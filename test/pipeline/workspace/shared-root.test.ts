import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolveCampaign } from '../../../src/config/resolve.ts'
import { campaignSchema } from '../../../src/config/schema/campaign.ts'
import { diffTrees } from '../../../src/git/listing.ts'
import { createJobContext } from '../../../src/pipeline/job-context.ts'
import { evaluateTree } from '../../../src/pipeline/measuring/evaluate-tree.ts'
import { createCheck } from '../../../src/pipeline/proposing/agent-check.ts'
import { prepareRoot } from '../../../src/pipeline/workspace/prepared-root.ts'
import { findTrackedRoot } from '../../../src/pipeline/workspace/shared-root.ts'
import { createWithheld } from '../../../src/pipeline/workspace/withheld.ts'
import { createWorkspace } from '../../../src/pipeline/workspace/workspace.ts'
import { findIsolation } from '../../../src/process/isolation/find-isolation.ts'
import { aRequest, hasNamespaces } from '../../process/enclosed-run.ts'
import { aRepository, git, writeFiles } from '../../support/repository.ts'
import { anEvaluation, aWorkbench } from '../../support/workbench.ts'

const FILES = { 'src/a.txt': '1\n', 'src/b.txt': '1\n', 'old/c.txt': '1\n', 'unseen/inputs.txt': '3\n' }
const SETUP = `mkdir -p node_modules/dep unseen && echo 7 > node_modules/dep/value && echo 100 > metrics.txt
echo 8 > unseen/made.txt; mkdir -p src/gen && echo 9 > src/gen/value`

// The guard protects what a command names.
const COMMAND = { command: 'sh "$LORELEY_TRUSTED/measure.sh"' }

/** Measures a candidate with a set-up and a script, at a confirmation. */
async function measure(
  script: string,
  changed: Readonly<Record<string, string | undefined>>,
  evaluation: Record<string, unknown> = {},
) {
  const config = resolveCampaign(
    'demo',
    campaignSchema.parse({
      goal: 'More.',
      scope: { editable: ['src/**', 'old/**'] },
      objectives: [{ metric: 'score', direction: 'maximize' }],
      evaluation: { setup: SETUP, ...COMMAND, ...evaluation },
    }),
  )
  const {
    source,
    tree: base,
    place,
    git: opened,
  } = await aWorkbench(aRepository({ ...FILES, 'measure.sh': script }))
  const { repository, objects } = opened
  for (const [path, text] of Object.entries(changed)) {
    if (text === undefined) rmSync(join(source, path))
    else writeFiles(source, { [path]: text })
  }
  git(source, 'add', '-A')
  const tree = git(source, 'write-tree')
  const { signal } = new AbortController()
  chmodSync(place, 0o755)
  const search = await findIsolation(aRequest(place))
  if (search.status === 'unavailable') throw new Error(search.detail)
  const roots = join(place, 'roots')
  const context = await createJobContext({
    ...{ config, repository, objects, rootTree: base, path: process.env.PATH ?? '', passedEnvironment: {} },
    ...{ preparedRootsFolder: roots, workspacesFolder: join(place, 'work'), signal },
    isolation: search.isolation,
  })
  const before = fingerprint(context.preparedRoot.template)
  const changes = await diffTrees(repository, base, tree)
  const plan = { kind: 'once', heldOut: { least: 1, most: 1 } } as const
  const folder = join(place, 'work/1-1')
  const measurement = await evaluateTree(context, { folder, base, tree, changes, plan }, signal)
  expect(fingerprint(context.preparedRoot.template)).toBe(before)
  const closed = join(context.preparedRoot.template, '..')
  const shared = readdirSync(closed).filter((name) => name.startsWith('shared-'))
  const left = existsSync(folder) ? readdirSync(folder) : []
  const { template } = context.preparedRoot
  return { measurement, shared: shared.map((name) => join(closed, name)), left, template }
}

function fingerprint(folder: string): string {
  const line = `find . -printf '%p %y %m %s %n %i %T@ %l\\n' | sort; find . -type f | sort | xargs cat`
  return spawnSync('sh', ['-c', line], { cwd: folder, encoding: 'utf8' }).stdout
}

const scoreOf = (measurement: Awaited<ReturnType<typeof measure>>['measurement']) =>
  measurement.status === 'measured' ? measurement.samples.map(({ metrics }) => metrics.score) : measurement

describe.runIf(hasNamespaces)('the check of an agent that got no products', () => {
  it("the check sees them, the agent's files, and none that the agent removed", async () => {
    const { git: opened, tree: rootTree, place } = await aWorkbench(aRepository(FILES))
    chmodSync(place, 0o755)
    const search = await findIsolation(aRequest(place))
    if (search.status === 'unavailable') throw new Error(search.detail)
    const { isolation } = search
    const { signal } = new AbortController()
    const path = process.env.PATH ?? ''
    const { repository, objects } = opened
    const preparedRoot = await prepareRoot({
      ...{ repository, objects, rootTree, path, passedEnvironment: {}, owner: place, signal },
      ...{ folder: join(place, 'roots'), evaluation: anEvaluation({ setup: SETUP }) },
    })
    const template = await findTrackedRoot(preparedRoot, objects)
    const common = { objects, path, owner: place, maxDiskBytes: 1e9 }
    const withheld = createWithheld(['unseen'], preparedRoot.rootFiles)
    const workspace = await createWorkspace({
      ...common,
      folder: join(place, 'agent'),
      template,
      without: withheld.paths,
      changes: [],
    })
    expect(existsSync(join(workspace.files, 'node_modules'))).toBe(false)
    rmSync(join(workspace.files, 'old'), { recursive: true })
    writeFiles(workspace.files, { 'src/a.txt': 'mine\n' })
    const options = { ...common, preparedRoot, isolation, passedEnvironment: {}, withheld, isBare: true }
    const command =
      'cat node_modules/dep/value src/a.txt src/b.txt; ls; echo x > node_modules/dep/value; exit 1'
    const line = { name: 'look', command, timeoutSeconds: 60 }
    const { output } = await createCheck({ ...options, folder: place }, workspace, [line])(signal)
    expect(output.split('\n').slice(1)).toEqual(['7', 'mine', '1', 'metrics.txt', 'node_modules', 'src'])
  })
})

describe.runIf(hasNamespaces)('the root, shared by candidates in namespaces,', () => {
  it('every command sees the shared root among its files, and no run copies it', async () => {
    const script = `cat node_modules/dep/value src/gen/value | grep -c '[79]' | grep -q 2 || exit 1
[ "$(loreley-candidate cat node_modules/dep/value src/a.txt | paste -sd ' ')" = '7 5' ] || exit 2
! loreley-candidate sh -c 'echo x > node_modules/dep/value' || exit 3
echo x > node_modules/dep/value; rm -r src/gen; cat src/a.txt`
    const { measurement, shared, left, template } = await measure(script, { 'src/a.txt': '5\n' })
    expect(scoreOf(measurement)).toEqual([5])
    expect(shared).toHaveLength(1)
    expect(readdirSync(shared[0] ?? '').sort()).toEqual(readdirSync(template).sort())
    expect(left.filter((name) => name.startsWith('evaluation'))).toEqual([])
  })

  it('the shared root does not bring back files and folders that a candidate removed', async () => {
    const script = '[ ! -e src/b.txt ] && [ ! -e old ] && echo 3'
    const { measurement } = await measure(script, { 'src/b.txt': undefined, 'old/c.txt': undefined })
    expect(scoreOf(measurement)).toEqual([3])
  })

  it('the shared root gives way to a file of the candidate at the same path', async () => {
    const { measurement } = await measure('cat src/gen/value', { 'src/gen/value': '4\n' })
    expect(scoreOf(measurement)).toEqual([4])
  })

  it('metrics that the set-up left do not count', async () => {
    const output = { output: { form: 'json-file', file: 'metrics.txt' } }
    const silent = await measure('[ ! -e metrics.txt ]', { 'src/a.txt': '5\n' }, output)
    expect(scoreOf(silent.measurement)).toMatchObject({ status: 'failed', reason: 'output-unreadable' })
    const said = await measure('echo \'{"score":6}\' > metrics.txt', { 'src/a.txt': '5\n' }, output)
    expect(scoreOf(said.measurement)).toEqual([6])
  })

  it('only the held-out run sees held-out files, also those that the set-up made', async () => {
    const script = 'cat unseen/* "$LORELEY_TRUSTED"/unseen/* 2>/dev/null | wc -l'
    const held = { held_out: { ...COMMAND, paths: ['unseen'] } }
    const { measurement } = await measure(script, { 'src/a.txt': '5\n' }, held)
    if (measurement.status !== 'measured') throw new Error(JSON.stringify(measurement))
    const scores = (stage: string) =>
      measurement.samples.filter((sample) => sample.stage === stage).map(({ metrics }) => metrics.score)
    expect(scores('full')).toEqual([0])
    expect(scores('held-out')).toEqual([4, 4])
  })
})
