import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolveCampaign } from '../../../src/config/resolve.ts'
import { campaignSchema } from '../../../src/config/schema/campaign.ts'
import type { Sample } from '../../../src/core/measuring/measurement.ts'
import { diffTrees } from '../../../src/git/listing.ts'
import { createJobContext } from '../../../src/pipeline/job-context.ts'
import { evaluateTree, type Measurement } from '../../../src/pipeline/measuring/evaluate-tree.ts'
import { findIsolation } from '../../../src/process/isolation/find-isolation.ts'
import type { IsolatedLevel } from '../../../src/process/isolation/isolation.ts'
import { aRequest, hasNamespaces, isRoot } from '../../process/enclosed-run.ts'
import { aRepository, git, writeFiles } from '../../support/repository.ts'
import { aWorkbench } from '../../support/workbench.ts'

// The share of the inputs that the candidate, a shell program, doubles.
const MEASURE = `right=0
while read -r input; do [ "$(sh src/double.sh "$input")" = $((2 * input)) ] && right=$((right + 1)); done < "$1"
echo $right
`
const FILES = {
  'measure.sh': MEASURE,
  'shown.txt': '1\n2\n',
  'unseen/inputs.txt': '3\n4\n',
  'src/double.sh': 'echo 0\n',
}
const CONFIG = resolveCampaign(
  'demo',
  campaignSchema.parse({
    goal: 'Double.',
    scope: { editable: ['src/**'] },
    objectives: [{ metric: 'score', direction: 'maximize' }],
    evaluation: {
      command: 'sh "$LORELEY_TRUSTED/measure.sh" shown.txt',
      held_out: {
        command: 'sh "$LORELEY_TRUSTED/measure.sh" "$LORELEY_TRUSTED/unseen/inputs.txt"',
        paths: ['unseen'],
      },
    },
  }),
)

/** Commits these files over the root and has the result measured as at a confirmation. */
async function confirm(
  files: Readonly<Record<string, string>>,
  {
    heldOutCommand = '',
    level,
    setup,
  }: { readonly heldOutCommand?: string; readonly level?: IsolatedLevel; readonly setup?: string } = {},
): Promise<Measurement> {
  const { source, tree: base, place, git: opened } = await aWorkbench(aRepository(FILES))
  const { repository, objects } = opened
  writeFiles(source, files)
  git(source, 'add', '-A')
  const tree = git(source, 'write-tree')
  const { signal } = new AbortController()
  const heldOut = CONFIG.evaluation.heldOut && {
    ...CONFIG.evaluation.heldOut,
    ...(heldOutCommand && { command: heldOutCommand }),
  }
  chmodSync(place, 0o755)
  const search = level && (await findIsolation(aRequest(place, { levels: [level] })))
  if (search?.status === 'unavailable') throw new Error(search.detail)
  const context = await createJobContext({
    config: { ...CONFIG, evaluation: { ...CONFIG.evaluation, setup, heldOut } },
    repository,
    objects,
    rootTree: base,
    preparedRootsFolder: join(place, 'roots'),
    workspacesFolder: join(place, 'work'),
    path: process.env.PATH ?? '',
    passedEnvironment: {},
    signal,
    isolation: search?.isolation,
  })
  const changes = await diffTrees(repository, base, tree)
  const plan = { kind: 'once', heldOut: { least: 2, most: 5 } } as const
  return await evaluateTree(context, { folder: join(place, 'work/1-1'), base, tree, changes, plan }, signal)
}

/** What the candidate scored on the shown inputs, and on those that no agent has seen. */
function scoresOf(measurement: Measurement): (number | undefined)[] {
  if (measurement.status !== 'measured') throw new Error(JSON.stringify(measurement))
  const scoreOn = (stage: Sample['stage']) =>
    measurement.samples.find((sample) => sample.subject === 'candidate' && sample.stage === stage)?.metrics
      .score
  return [scoreOn('full'), scoreOn('held-out')]
}

describe('a tree that is to be measured', () => {
  it.each<[what: string, files: Record<string, string>, detail: string]>([
    ['the evaluator', { 'measure.sh': 'echo 99\n' }, 'protected-path: measure.sh'],
    ['held-out inputs', { 'unseen/inputs.txt': '1\n' }, 'protected-path: unseen/inputs.txt'],
    ['what is not in its scope', { 'notes.md': 'x' }, 'outside-scope: notes.md'],
  ])('the guard judges a tree first: one that changes %s is not run', async (_, files, detail) => {
    const outcome = { status: 'failed', reason: 'guard-blocked', detail, runnerMs: 0, logs: [] }
    expect(await confirm(files)).toEqual(outcome)
  })
})

describe('the folder that is measured', () => {
  const work = { 'src/double.sh': 'echo $((2 * $1))\n', 'src/made/new.sh': 'x\n' }

  it('the measured folder holds the tree, whatever else a set-up made', async () => {
    const setup = 'echo x > measure.sh; mkdir -p src/made && echo p > src/made/new.sh; ln -s src also'
    expect(scoresOf(await confirm(work, { setup }))).toEqual([2, 2])
  })

  it.each<IsolatedLevel | undefined>([
    undefined,
    ...(isRoot ? (['user'] as const) : []),
    ...(hasNamespaces ? (['namespace'] as const) : []),
  ])('a tree is not measured when a set-up leads its files elsewhere (%s)', async (level) => {
    const setup = 'mv src ../elsewhere && ln -s "$(dirname "$PWD")/elsewhere" src'
    const outcome = confirm(work, { setup, ...(level && { level }) })
    await expect(outcome).rejects.toMatchObject({ code: 'evaluator-setup-failed' })
    await expect(outcome).rejects.toThrow('at src/double.sh')
  })
})

describe('the held-out command', () => {
  it('the held-out run scores an honest candidate as the shown inputs do', async () => {
    expect(scoresOf(await confirm({ 'src/double.sh': 'echo $((2 * $1))\n' }))).toEqual([2, 2])
  })

  it('the held-out run exposes a candidate that knows the shown inputs by heart', async () => {
    const table = 'case $1 in 1) echo 2 ;; 2) echo 4 ;; *) echo 0 ;; esac\n'
    expect(scoresOf(await confirm({ 'src/double.sh': table }))).toEqual([2, 0])
  })

  it.each([
    ['twice where it always gives the same', 'echo 1', 2],
    ['as often as it takes where it does not', 'date +%N | sed s/^0*//', 5],
  ])('the held-out command is run %s, interleaved with the root', async (_, heldOutCommand, pairs) => {
    const outcome = await confirm({ 'src/double.sh': 'echo $((2 * $1))\n' }, { heldOutCommand })
    if (outcome.status !== 'measured') throw new Error(JSON.stringify(outcome))
    const turns = outcome.samples.flatMap(({ stage, subject }) => (stage === 'held-out' ? [subject] : []))
    const block = ['root', 'candidate', 'candidate', 'root']
    expect(turns).toEqual([...block, ...block, ...block].slice(0, 2 * pairs))
  })

  it('only the held-out run has the held-out inputs', async () => {
    const look = '[ -e unseen ] || [ -e "$LORELEY_TRUSTED/unseen" ] && echo $((2 * $1))\n'
    expect(scoresOf(await confirm({ 'src/double.sh': look }))).toEqual([0, 2])
  })

  it.each([
    ['exits', '[ -e src/new.sh ] && exit 1; echo 1', 'evaluation-failed', 'it'],
    [
      'prints nothing that can be read',
      '[ -e src/new.sh ] && echo seen || echo 1',
      'output-unreadable',
      'it',
    ],
    ['fails for the root', 'exit 1', 'infrastructure', 'the root'],
  ])('the held-out command never says what it saw when it %s', async (_, end, reason, who) => {
    const heldOutCommand = `cat "$LORELEY_TRUSTED/unseen/inputs.txt" | tee /dev/stderr; ${end}`
    const outcome = await confirm(
      { 'src/double.sh': 'echo $((2 * $1))\n', 'src/new.sh': '' },
      { heldOutCommand },
    )
    expect(outcome).toMatchObject({
      status: 'failed',
      reason,
      detail: `${who} failed on the held-out inputs; what the command said there is shown to nobody`,
    })
    expect(JSON.stringify(outcome.logs)).not.toContain('3')
  })

  it.runIf(isRoot)('leaves nothing for other runs to find where only the user differs', async () => {
    const look = 'find ../../../.. -name inputs.txt 2>/dev/null | grep -q . && echo $((2 * $1)) || echo 0\n'
    expect(scoresOf(await confirm({ 'src/double.sh': look }))).toEqual([2, 2])
    expect(scoresOf(await confirm({ 'src/double.sh': look }, { level: 'user' }))).toEqual([0, 2])
  })
})
