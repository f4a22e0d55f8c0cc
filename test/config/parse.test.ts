import { describe, expect, it } from 'vitest'
import type { CampaignConfig } from '../../src/config/campaign-config.ts'
import { findConfigProblems, parseConfig } from '../../src/config/file/parse.ts'
import { resolveCampaign, toCampaignInput } from '../../src/config/resolve.ts'
import { campaignSchema } from '../../src/config/schema/campaign.ts'
import type { EngineConfig } from '../../src/core/campaign/engine-config.ts'
import { LENSES, OPERATOR_WEIGHTS } from '../../src/core/planning/operators.ts'
import { SMALLEST } from './examples.ts'

function parseOnly(text: string, name = 'default'): CampaignConfig {
  const campaign = parseConfig(text, '.loreley.yml').campaigns.get(name)
  if (campaign === undefined) throw new Error(`no campaign ${name}`)
  return campaign
}

const EVERYTHING = `version: 1
goal: |
  Make it faster.
constraints: [No new dependencies.]
acceptance: [The tests pass.]
notes: The parser is in src/parse.
scope: { editable: ["src/**"], protected: ["src/gen/**"], max_files: 3, max_lines: 2, max_file_bytes: 4, max_change_bytes: 5, allow_manifests: true }
objectives:
  - { metric: p95/ms, direction: minimize, target: 2, min: 0, max: 1000 }
  - { metric: size_kb, direction: minimize }
evaluation:
  command: node bench.mjs
  setup: npm ci
  gates: [npm test, { name: types, command: npx tsc, timeout_seconds: 7 }]
  timeout_seconds: 6
  setup_timeout_seconds: 8
  output: { form: json-file, file: out/metrics.json }
  files: [bench.mjs]
  environment: [CI]
  max_output_bytes: 2048
  max_disk_mb: 512
  baseline_runs: 2
  sampling: { min_pairs: 2, max_pairs: 5, confidence: 0.9, smallest_gain: 0.2 }
  quick: { command: node quick.mjs, tolerance: 0.2 }
  held_out: { command: node hidden.mjs, timeout_seconds: 9, paths: [hidden] }
search:
  { policy: champion, seed: 0, window: 4, archive: cvt, cells: 16, warm_up: 9, front: 3, islands: 2, migrate_every: 7, inspirations: 0, plateau: 50, axes: [{ metric: size_kb, min: 0, max: 9 }, change: spread] }
agent: { use: offline, timeout_seconds: 10 }
limits:
  { candidates: 11, wall_clock_minutes: 0.5, tokens: 12, dollars: 1.5, runner_minutes: 13, parallel: 14, same_failure: 15, candidates_per_day: 16, open_prs: 0, checkpoint: 17, dry_run: true }
pr: { ci: run }
archive: { refs: hidden }
label: evolve
schedule: { cron: 0 3 * * 1, time_zone: Europe/Berlin }
`

const AGENT = {
  use: 'offline',
  planner: 'offline',
  rework: true,
  checkTimeoutSeconds: 120,
  limits: { turns: 40, tokens: 400_000, bytes: 1_048_576 },
}

const EMBEDDER = {
  use: 'hashing',
  dimensions: 512,
  extensions: [],
  sendDimensions: true,
  needsKey: true,
  model: 'text-embedding-3-small',
  baseUrl: 'https://api.openai.com/v1',
  keyVariable: 'OPENAI_API_KEY',
  dollarsPerMillionTokens: 0.02,
}

describe('parseConfig', () => {
  it('fills in every default of the smallest file', () => {
    expect(parseOnly(SMALLEST)).toEqual({
      name: 'default',
      goal: 'Make parsing faster.',
      constraints: [],
      acceptance: [],
      notes: '',
      scope: {
        editable: ['src/**'],
        protected: [],
        maxFiles: 20,
        maxLines: 2000,
        maxFileBytes: 262_144,
        maxChangeBytes: 1_048_576,
        allowManifests: false,
      },
      objectives: [{ metric: 'ops_per_s', direction: 'maximize' }],
      evaluation: {
        command: 'node bench.mjs',
        gates: [],
        timeoutSeconds: 300,
        setupTimeoutSeconds: 900,
        output: { form: 'auto' },
        environment: [],
        isolation: 'auto',
        network: 'none',
        maxOutputBytes: 1_048_576,
        maxDiskBytes: 4096 * 1024 ** 2,
        baselineRuns: 3,
        sampling: { minPairs: 6, maxPairs: 20, confidence: 0.998 },
        smallestGain: 0.1,
      },
      search: {
        policy: 'qd',
        independentShare: 0.1,
        seed: 1,
        window: 8,
        archive: 'grid',
        front: 4,
        islands: 1,
        migrateEvery: 5,
        inspirations: 3,
        operators: OPERATOR_WEIGHTS,
        lenses: LENSES,
        descriptor: 'delta',
        axes: [{ kind: 'learned' }, { kind: 'learned' }],
      },
      embedder: EMBEDDER,
      agent: { ...AGENT, timeoutSeconds: 600 },
      limits: {
        candidates: 100,
        parallel: 2,
        tokens: 50_000_000,
        dollars: 200,
        runnerMinutes: 10_000,
        sameFailure: 25,
        candidatesPerDay: 500,
        openPulls: 3,
        dryRun: false,
      },
      pr: { ci: 'ask' },
      archive: { refs: 'auto' },
      label: 'loreley',
    })
  })

  it('carries over every key of a full file', () => {
    expect(parseOnly(EVERYTHING)).toEqual({
      name: 'default',
      goal: 'Make it faster.',
      constraints: ['No new dependencies.'],
      acceptance: ['The tests pass.'],
      notes: 'The parser is in src/parse.',
      scope: {
        editable: ['src/**'],
        protected: ['src/gen/**'],
        maxFiles: 3,
        maxLines: 2,
        maxFileBytes: 4,
        maxChangeBytes: 5,
        allowManifests: true,
      },
      objectives: [
        { metric: 'p95/ms', direction: 'minimize', target: 2, min: 0, max: 1000 },
        { metric: 'size_kb', direction: 'minimize' },
      ],
      evaluation: {
        command: 'node bench.mjs',
        setup: 'npm ci',
        gates: [
          { name: 'npm test', command: 'npm test', timeoutSeconds: 6 },
          { name: 'types', command: 'npx tsc', timeoutSeconds: 7 },
        ],
        timeoutSeconds: 6,
        setupTimeoutSeconds: 8,
        output: { form: 'json-file', file: 'out/metrics.json' },
        files: ['bench.mjs'],
        environment: ['CI'],
        isolation: 'auto',
        network: 'none',
        maxOutputBytes: 2048,
        maxDiskBytes: 512 * 1024 ** 2,
        baselineRuns: 2,
        sampling: { minPairs: 2, maxPairs: 5, confidence: 0.9 },
        smallestGain: 0.2,
        quick: { command: 'node quick.mjs', tolerance: 0.2, timeoutSeconds: 6 },
        heldOut: { command: 'node hidden.mjs', timeoutSeconds: 9, paths: ['hidden'] },
      },
      search: {
        policy: 'champion',
        independentShare: 0.1,
        seed: 0,
        window: 4,
        archive: 'cvt',
        cells: 16,
        warmUp: 9,
        front: 3,
        islands: 2,
        migrateEvery: 7,
        inspirations: 0,
        operators: OPERATOR_WEIGHTS,
        lenses: LENSES,
        plateau: 50,
        descriptor: 'metrics',
        axes: [
          { kind: 'metric', metric: 'size_kb', min: 0, max: 9 },
          { kind: 'change', change: 'spread' },
        ],
      },
      embedder: EMBEDDER,
      agent: { ...AGENT, timeoutSeconds: 10 },
      limits: {
        candidates: 11,
        wallClockMinutes: 0.5,
        tokens: 12,
        dollars: 1.5,
        runnerMinutes: 13,
        parallel: 14,
        sameFailure: 15,
        candidatesPerDay: 16,
        openPulls: 0,
        checkpoint: 17,
        dryRun: true,
      },
      pr: { ci: 'run' },
      archive: { refs: 'hidden' },
      label: 'evolve',
      schedule: { cron: '0 3 * * 1', timeZone: 'Europe/Berlin' },
    })
  })

  it('gives a config that the engine accepts', () => {
    const engine: EngineConfig = parseOnly(SMALLEST)
    expect(engine.limits.candidates).toBe(100)
  })

  it('reads anchors, CRLF and a byte order mark', () => {
    const text = `\uFEFF${SMALLEST}search: { seed: &n 7 }\nlimits: { candidates: *n }\n`.replaceAll(
      '\n',
      '\r\n',
    )
    expect(parseOnly(text).limits.candidates).toBe(7)
  })
})

const THREE = `${SMALLEST}search: { learned_axes: 3 }\n`

it.each([
  ['', ['learned', 'learned', 'learned']],
  [', axes: [{ change: churn }], descriptor: delta', ['learned', 'learned', 'change']],
  [', axes: [{ change: churn }]', ['change']],
])('learns as many axes as there is room for beside%s', (axes, kinds) => {
  const { search } = parseOnly(THREE.replace('3 }', `3${axes} }`))
  expect(search.axes.map(({ kind }) => kind)).toEqual(kinds)
})

describe('toCampaignInput', () => {
  it.each([
    SMALLEST,
    THREE,
    EVERYTHING,
    SMALLEST.replace('node bench.mjs', `x, gates: [${'y'.repeat(300)}]`),
  ])('toCampaignInput gives what resolves to an equal config', (text) => {
    const config = parseOnly(text)
    const stored: unknown = JSON.parse(JSON.stringify(toCampaignInput(config)))
    expect(resolveCampaign('default', campaignSchema.parse(stored))).toEqual(config)
  })
})

describe('named campaigns', () => {
  const SHARED = `scope: { editable: ["src/**"], max_files: 5 }
evaluation: { command: node bench.mjs, gates: [npm test, npm run lint] }
goal: Shared goal.
campaigns:
  speed:
    objectives: [{ metric: ops, direction: maximize }]
    scope: { max_file_bytes: 9 }
  memory:
    goal: Own goal.
    objectives: [{ metric: mb, direction: minimize }]
    evaluation: { gates: [make check], output: { form: last-line } }
`

  it('merges mappings and replaces lists and scalars', () => {
    const { campaigns } = parseConfig(SHARED, 'f')
    expect([...campaigns.keys()]).toEqual(['speed', 'memory'])
    expect(campaigns.get('speed')).toMatchObject({
      name: 'speed',
      goal: 'Shared goal.',
      scope: { editable: ['src/**'], maxFiles: 5, maxFileBytes: 9 },
      evaluation: { gates: [{ command: 'npm test' }, { command: 'npm run lint' }] },
    })
    expect(campaigns.get('memory')).toMatchObject({
      goal: 'Own goal.',
      scope: { editable: ['src/**'], maxFiles: 5, maxFileBytes: 262_144 },
      evaluation: {
        command: 'node bench.mjs',
        gates: [{ command: 'make check' }],
        output: { form: 'last-line' },
      },
    })
  })

  it.each([
    [
      'a wrong value in the override',
      SHARED.replace('bytes: 9', 'bytes: 0'),
      ['7:30 campaigns.speed.scope.max_file_bytes'],
    ],
    ['a wrong shared value once', SHARED.replace('max_files: 5', 'max_files: 0'), ['1:43 scope.max_files']],
    [
      'a wrong shared value that all override',
      `notes: 1\n${SHARED}`.replaceAll('    objectives', '    notes: x\n    objectives'),
      ['1:8 notes'],
    ],
    [
      'an unknown key in the override',
      SHARED.replace('goal: Own', 'gaol: Own'),
      ['9:5 campaigns.memory.gaol'],
    ],
    ['an unknown shared key', `gaol: x\n${SHARED}`, ['1:1 gaol']],
    [
      'a key that one campaign lacks, at the campaign',
      SHARED.replace(/ {4}objectives.*ops.*\n/, ''),
      ['5:3 campaigns.speed.objectives'],
    ],
    [
      'a key that the shared mapping lacks, at that mapping',
      SHARED.replace('editable: ["src/**"], ', ''),
      ['1:1 scope.editable', '7:5 campaigns.speed.scope.editable'],
    ],
    [
      'a list entry that is not filled from the shared list',
      `objectives: [{ metric: a, direction: maximize }]\n${SHARED.replace('metric: ops, ', '')}`,
      ['7:18 campaigns.speed.objectives[0].metric'],
    ],
  ])('named campaigns show %s', (_name, text, expected) => {
    expect(findConfigProblems(text).map(({ line, column, path }) => `${line}:${column} ${path}`)).toEqual(
      expected,
    )
  })
})
