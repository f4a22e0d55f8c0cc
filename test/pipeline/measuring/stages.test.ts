import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolveCampaign } from '../../../src/config/resolve.ts'
import { campaignSchema } from '../../../src/config/schema/campaign.ts'
import type { Sample } from '../../../src/core/measuring/measurement.ts'
import type { MeasurementPlan } from '../../../src/core/measuring/measurement-plan.ts'
import { drawTurns } from '../../../src/core/measuring/stats/turns.ts'
import { rngFor } from '../../../src/core/rng.ts'
import { diffTrees } from '../../../src/git/listing.ts'
import { createJobContext } from '../../../src/pipeline/job-context.ts'
import { evaluateTree, type Measurement } from '../../../src/pipeline/measuring/evaluate-tree.ts'
import { aFolder, aRepository, git, writeFiles } from '../../support/repository.ts'
import { aWorkbench } from '../../support/workbench.ts'

// Writes down who ran what, and prints the number in the file a little up or down, by turns.
const MEASURE = `echo "$1 $(cat src/a.txt)" >> "$JOURNAL"
[ "$(cat src/a.txt)" != 15 ] || { echo "no number, but $JOURNAL"; exit 0; }
lines=$(wc -l < "$JOURNAL")
echo $(( 1000 * $(cat src/a.txt) + lines % 3 ))
`
const SETUP = `echo "setup $(cat src/a.txt) $(cat package-lock.json)" >> "$JOURNAL"; mkdir -p node_modules; cp package-lock.json node_modules/installed`
const GATE = `echo "gate $(cat src/a.txt)" >> "$JOURNAL"; [ "$(cat src/a.txt)" != 13 ] || { echo unlucky; exit 1; }
[ "$(cat src/a.txt)" != 14 ] || { printf '%s and %s\\033[1m%s' "$JOURNAL" "\${JOURNAL%?????}" "\${JOURNAL#"\${JOURNAL%?????}"}"; exit 1; }`

const CONFIG = resolveCampaign(
  'demo',
  campaignSchema.parse({
    goal: 'More.',
    scope: { editable: ['src/**', 'package-lock.json'], allow_manifests: true },
    objectives: [{ metric: 'score', direction: 'maximize' }],
    evaluation: {
      command: 'sh "$LORELEY_TRUSTED/measure.sh" full',
      setup: SETUP,
      gates: [{ name: 'luck', command: GATE }],
      quick: { command: 'sh "$LORELEY_TRUSTED/measure.sh" quick', tolerance: 0.5 },
      environment: ['JOURNAL'],
      files: ['measure.sh'],
    },
  }),
)
const PAIRED = {
  kind: 'paired' as const,
  against: 'root' as const,
  sampling: { minPairs: 6, maxPairs: 20, confidence: 0.993 },
  turns: drawTurns<Sample['subject']>([6, 4, 6, 4], ['root', 'candidate'], rngFor(1, 1, 'turns')),
  bar: 0,
  heldOut: { least: 0, most: 0 },
} satisfies MeasurementPlan & { kind: 'paired' }

interface Measured {
  readonly measurement: Measurement
  /** What ran, in request: the stage and the number it saw. */
  readonly journal: readonly string[]
}

/** Measures a candidate whose number is the given one; the root's is 10. */
async function measure(
  number: number,
  {
    plan = { kind: 'once', heldOut: { least: 0, most: 0 } },
    files = {},
    again = false,
  }: { plan?: MeasurementPlan; files?: Record<string, string>; again?: boolean } = {},
): Promise<Measured> {
  const root = { 'measure.sh': MEASURE, 'package-lock.json': 'base\n', 'src/a.txt': '10\n' }
  const { source, tree: base, place, git: opened } = await aWorkbench(aRepository(root))
  writeFiles(source, { 'src/a.txt': `${number}\n`, ...files })
  git(source, 'add', '-A')
  const tree = git(source, 'write-tree')
  const { repository, objects } = opened
  const { signal } = new AbortController()
  const journal = join(aFolder(), 'journal')
  const context = await createJobContext({
    config: CONFIG,
    repository,
    objects,
    rootTree: base,
    preparedRootsFolder: join(place, 'roots'),
    workspacesFolder: join(place, 'work'),
    path: process.env.PATH ?? '',
    passedEnvironment: { JOURNAL: journal },
    signal,
  })
  const changes = await diffTrees(repository, base, tree)
  const request = { folder: join(place, 'work/1-1'), base: again ? tree : base, tree, changes, plan }
  const measurement = await evaluateTree(context, request, signal)
  return { measurement, journal: existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : [] }
}

describe('the stages of a measurement', () => {
  it('stages come in order: set-up of the root, gates, quick against the root, full', async () => {
    const { measurement, journal } = await measure(11)
    expect(measurement.status).toBe('measured')
    expect(journal).toEqual(['setup 10 base', 'gate 11', 'quick 10', 'quick 11', 'full 11'])
  })

  it('a tree that was measured before skips the quick command', async () => {
    const { journal } = await measure(4, { again: true })
    expect(journal).toEqual(['setup 10 base', 'gate 4', 'full 4'])
  })

  it('a gate that fails ends the measurement, with what it said', async () => {
    const { measurement, journal } = await measure(13)
    expect(measurement).toMatchObject({ status: 'failed', reason: 'gate-failed' })
    expect(measurement).toHaveProperty('detail', expect.stringMatching(/^luck: exit code 1\nunlucky/))
    expect(journal).toEqual(['setup 10 base', 'gate 13'])
  })

  it('stages tell nothing of what `evaluation.environment` gave them, whatever they print', async () => {
    const { measurement } = await measure(14)
    expect(measurement).toMatchObject({
      reason: 'gate-failed',
      detail: 'luck: exit code 1\n[secret] and [secret]',
      logs: [{ text: '[secret] and [secret]' }],
    })
    const unreadable = (await measure(15)).measurement
    expect(unreadable).toMatchObject({
      reason: 'output-unreadable',
      detail: expect.stringMatching(/: no number, but \[secret\]$/),
    })
  })

  it('the quick command ends the measurement of what is far worse than the root', async () => {
    const { measurement, journal } = await measure(4)
    expect(measurement).toMatchObject({ status: 'failed', reason: 'quick-refused' })
    expect(journal.at(-1)).toBe('quick 4')
    // Within the tolerance nothing is given up.
    expect((await measure(6)).measurement.status).toBe('measured')
  })

  it("the set-up installs what the base's lockfile says, whatever the candidate's does", async () => {
    const files = { 'package-lock.json': 'other\n' }
    const { measurement, journal } = await measure(11, { files })
    expect(measurement.status).toBe('measured')
    expect(journal.filter((line) => line.startsWith('setup'))).toEqual(['setup 10 base'])
  })
})

describe('a measurement in pairs', () => {
  const fullOf = ({ journal }: Measured) => journal.filter((line) => line.startsWith('full'))

  it('a paired measurement stops as soon as it is sure that the candidate is better than the root', async () => {
    const measured = await measure(12, { plan: PAIRED })
    // With 6 pairs nothing can be that sure; with 10 it can. One lead comes first.
    const turns = PAIRED.turns.slice(0, 2).flat()
    expect(fullOf(measured)).toEqual(
      turns.map(({ subject }) => (subject === 'candidate' ? 'full 12' : 'full 10')),
    )
    const { samples = [] } = 'samples' in measured.measurement ? measured.measurement : {}
    expect(samples, 'the numbers of the lead do not count').toHaveLength(20)
  })

  it('a paired measurement stops as soon as it is sure that the candidate is not better', async () => {
    expect(fullOf(await measure(9, { plan: PAIRED }))).toHaveLength(13)
  })

  it('a confirmation goes on to the last pair', async () => {
    const sampling = { ...PAIRED.sampling, minPairs: 8, maxPairs: 8 }
    const turns = drawTurns<Sample['subject']>([8], ['root', 'candidate'], rngFor(1, 1, 'turns'))
    expect(fullOf(await measure(12, { plan: { ...PAIRED, sampling, turns } }))).toHaveLength(17)
  })
})
