import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { dispatchInputs } from '../../src/protocol/dispatch.ts'
import { lintWithActionlint, validateWithLanguageService } from './workflow-linters.ts'
import { findFaults, findOwnFaults, RULES, RULES_FOR_OWN } from './workflow-rules.ts'

const ROOT = join(import.meta.dirname, '../..')
const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const names = readdirSync(join(ROOT, 'workflows-templates'))
const textOf = (name: string): string => readText(`workflows-templates/${name}`)
const readWorkflow = (name: string): string => readText(`.github/workflows/${name}`)

describe.each(names)('the template %s', (name) => {
  it('breaks none of our rules', () => {
    expect(findFaults(textOf(name))).toEqual([])
  })

  it('passes actionlint', async () => {
    expect(await lintWithActionlint(`.github/workflows/${name}`, textOf(name))).toEqual([])
  })

  it("passes GitHub's language service", async () => {
    expect(await validateWithLanguageService(`.github/workflows/${name}`, textOf(name))).toEqual([])
  })
})

/** A change that makes a template unsafe, and the rule that must object. */
const SPOILED: readonly (readonly [rule: string, from: string | RegExp, to: string])[] = [
  ['nobody outside can start it', 'on:\n', 'on:\n  pull_request_target:\n'],
  ['nothing is granted to all jobs', 'permissions: {}', 'permissions:\n  contents: read'],
  ['a job may read contents at most', 'contents: read # for', 'contents: write # for'],
  ['a job may read contents at most', 'contents: read # for', 'actions: read # for'],
  ['actions of others are pinned by commit', /checkout@[0-9a-f]{40} # v6.0.2/, 'checkout@v6'],
  ['a pin says which release it is', ' # v6.0.2', ''],
  ['images are pinned by digest', '    runs-on: ubuntu-24.04\n', '$&    container:\n      image: node:24\n'],
  ['no expression is put into a shell', '    steps:\n', `$&      - run: echo \${{ inputs.candidate }}\n`],
  ['no cache is restored', '    steps:\n', `$&      - uses: actions/cache@${'0'.repeat(40)} # v5.0.0\n`],
  ['no cache is restored', '          step: propose\n', '$&          cache: npm\n'],
  ['a checkout keeps no token', 'persist-credentials: false', 'persist-credentials: true'],
  ['every job has a limit of time', '    timeout-minutes: 60\n', ''],
  ['it has a concurrency group', /concurrency:\n.*\n/, ''],
  ['it names its runs', /run-name: .*\n/, ''],
  ['machines are named by version', 'ubuntu-24.04', 'ubuntu-latest'],
  [
    'only the step that lets the agent work sees a secret',
    '          name: proposal\n',
    `$&          key: \${{ secrets.KEY }}\n`,
  ],
  [
    'only the step that lets the agent work sees a secret',
    '          step: evaluate\n',
    `$&          token: \${{ github.token }}\n`,
  ],
  ['only the step that lets the agent work sees a secret', 'jobs:\n', `env:\n  KEY: \${{ secrets.KEY }}\n$&`],
  ['only propose has the environment of the key', '    needs: propose\n', '$&    environment: loreley\n'],
  ['evaluate is given no variables', '    needs: propose\n', '$&    env:\n      LEVEL: high\n'],
  ['the job with the key runs on a fresh machine', 'ubuntu-24.04', 'self-hosted'],
  ['propose runs no commands and checks nothing out', '    steps:\n', '$&      - run: npm ci\n'],
  ['its inputs are those of the protocol', '      nonce:\n', '      words:\n'],
  ['its inputs are those of the protocol', 'confirm, validate]', 'validate]'],
  ['the name of a run is what the App looks for', ` \${{ inputs.nonce }}`, ''],
  ['one run a candidate at a time', 'inputs.candidate || github.ref', 'github.ref'],
  ['the job that measures names what it measures', `name: evaluate \${{`, `name: measure \${{`],
  [
    'a result is handed on whatever happens',
    /if: \$\{\{ always\(\) \}\}(?=\n.*upload)/,
    `if: \${{ success() }}`,
  ],
  [
    'a step of ours says what broke before it',
    /(- name: Measure\n.*if: )\$\{\{ always\(\)/,
    `$1\${{ success()`,
  ],
  ['a step of ours says what broke before it', `earlier: job \${{ job.status }}`, 'earlier: job'],
  ['a step of ours says what broke before it', `            base \${{ steps.base.outcome }},\n`, ''],
  ['only a proposal that was handed on is evaluated', `\${{ steps.upload.outputs.artifact-id && `, `\${{ `],
  ['only a proposal that was handed on is evaluated', ` needs.propose.result == 'success' &&`, ''],
  ['only a proposal that was handed on is evaluated', ` && steps.upload.outputs.artifact-id) }}`, ') }}'],
]

describe('our rules', () => {
  it.each(SPOILED)('our rules find that "%s" no longer holds (%s → %s)', (rule, from, to) => {
    const spoiled = textOf('loreley.yml').replace(from, to)
    expect(findFaults(spoiled).filter((fault) => fault.startsWith(`${rule}: `))).not.toEqual([])
  })

  it('every rule for templates finds something', () => {
    expect(new Set(SPOILED.map(([rule]) => rule))).toEqual(new Set(RULES))
  })
})

describe.each(['ci.yml', 'release.yml'])('our workflow %s', (name) => {
  it('breaks none of our rules', () => {
    expect(findOwnFaults(readWorkflow(name))).toEqual([])
  })

  it('passes actionlint', async () => {
    expect(await lintWithActionlint(`.github/workflows/${name}`, readWorkflow(name))).toEqual([])
  })

  it("passes GitHub's language service", async () => {
    expect(await validateWithLanguageService(`.github/workflows/${name}`, readWorkflow(name))).toEqual([])
  })
})

/** A change that makes a workflow unsafe, and the rule that must object. */
const SPOILED_OWN: readonly (readonly [rule: string, file: string, from: string | RegExp, to: string])[] = [
  ['no stranger starts it with rights', 'ci.yml', 'pull_request:', 'pull_request_target:'],
  [
    'a job that may write runs no code from the repository or npm',
    'release.yml',
    'run: gh release create',
    'run: npm ci && gh release create',
  ],
  ['only a manual start may write', 'ci.yml', 'contents: read # for', 'contents: write # for'],
  [
    'a job that holds the token may write',
    'ci.yml',
    `\${{ matrix.parts }}\n        run`,
    `\${{ github.token }}\n        run`,
  ],
  ['actions of others are pinned by commit', 'release.yml', /@[0-9a-f]{40} # v4.1.0/, '@v4'],
]

describe('the rules for our workflows', () => {
  it.each(SPOILED_OWN)('our rules find that "%s" no longer holds in a spoiled %s', (rule, file, from, to) => {
    const spoiled = readWorkflow(file).replace(from, to)
    expect(findOwnFaults(spoiled).filter((fault) => fault.startsWith(`${rule}: `))).not.toEqual([])
  })

  it('every rule for our workflows finds something', () => {
    const shown = new Set(SPOILED_OWN.map(([rule]) => rule))
    expect(RULES_FOR_OWN.filter((rule) => !shown.has(rule))).toEqual([])
  })
})

describe('the linters', () => {
  it.each([
    ['needs: propose', 'needs: nobody'],
    [`kind: \${{ inputs.kind }}`, `kind: \${{ inputs.sort }}`],
    ['steps.upload.outputs.artifact-id }}', 'steps.uploaded.outputs.artifact-id }}'],
  ])('actionlint objects when "%s" becomes "%s"', async (from, to) => {
    const broken = textOf('loreley.yml').replace(from, to)
    expect(await lintWithActionlint('.github/workflows/loreley.yml', broken)).not.toEqual([])
  })

  it.each([
    ['needs: propose', 'needs: nobody'],
    ['step: evaluate', 'stage: evaluate'],
    ['runs-on: ubuntu-24.04', 'run-on: ubuntu-24.04'],
  ])('GitHub\'s language service objects when "%s" becomes "%s"', async (from, to) => {
    const broken = textOf('loreley.yml').replace(from, to)
    expect(await validateWithLanguageService('.github/workflows/loreley.yml', broken)).not.toEqual([])
  })
})

describe('action.yml', () => {
  const text = readText('action/action.yml')

  it("passes GitHub's language service", async () => {
    expect(await validateWithLanguageService('action.yml', text)).toEqual([])
  })

  it.each([
    ['using: node24', 'using: node9'],
    ['  main: dist/main.mjs\n', ''],
    ['description: Makes or', 'about: Makes or'],
  ])('GitHub\'s language service objects when "%s" becomes "%s" in action.yml', async (from, to) => {
    expect(await validateWithLanguageService('action.yml', text.replace(from, to))).not.toEqual([])
  })

  it('takes what the protocol sends, which step it is, what is measured, what broke before, and a token', () => {
    const { inputs } = z.looseObject({ inputs: z.record(z.string(), z.unknown()) }).parse(parse(text))
    const sent = dispatchInputs.options.flatMap(({ shape }) => Object.keys(shape))
    const more = ['step', 'proposal', 'earlier', 'token']
    expect(Object.keys(inputs).sort()).toEqual([...new Set([...sent, ...more])].sort())
  })
})
