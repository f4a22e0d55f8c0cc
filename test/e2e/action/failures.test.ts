import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cutOffActionStep, runActionStep } from '../../support/action/action-step.ts'
import { buildAction } from '../../support/action/built-action.ts'
import { aFolder, aRepository } from '../../support/repository.ts'

const VALIDATE = { step: 'evaluate', kind: 'validate' }
const OBJECT = '0123456789abcdef0123456789abcdef01234567'
const BASELINE = {
  ...{ step: 'evaluate', kind: 'baseline', candidate: 'demo-0000', nonce: 'a-nonce-42' },
  ...{ state: OBJECT, root: OBJECT, base: OBJECT },
}

let place = ''
let action = ''
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'loreley-failures-'))
  action = join(buildAction(place), 'action')
}, 180_000)
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** A repository whose evaluation has these settings. */
function aPlace(evaluation: string) {
  const config = `
goal: Smaller numbers.
scope: { editable: [src/**] }
objectives: [{ metric: score, direction: minimize }]
evaluation: { command: cat src/a.txt, ${evaluation} }
`
  return { workspace: aRepository({ '.loreley.yml': config, 'src/a.txt': '12\n' }), temp: aFolder() }
}

/** A PATH with these programs and no others. */
function onlyWith(...names: string[]): string {
  const folder = aFolder()
  for (const name of names) {
    const found = execFileSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' })
    symlinkSync(found.trim(), join(folder, name))
  }
  return folder
}

describe('the built action leaves a result that names the fault', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('when it is cut off by %s', async (signal) => {
    const file = join(aFolder(), 'begun')
    const { workspace, temp } = aPlace(`isolation: none, setup: "echo > ${file}; sleep 600"`)
    const ended = await cutOffActionStep(action, { workspace, temp }, VALIDATE, { signal, file })
    expect(ended.result?.outcome).toMatchObject({
      reason: 'infrastructure',
      detail: 'The job ended before this step did: it was cancelled, or out of time.',
    })
    expect(ended.result?.usage.runnerMs).toBeGreaterThan(0)
    expect(ended.exitCode).toBe(1)
  })

  it('when nothing can keep candidates apart', () => {
    const { outcome } = fail({ ...aPlace('isolation: auto'), path: onlyWith('git', 'sh', 'node') }, VALIDATE)
    expect(outcome).toMatchObject({ reason: 'infrastructure', code: 'isolation-unavailable' })
  })

  it('when the set-up fails, with what it said and what it cost', () => {
    const { outcome, usage } = fail(aPlace('isolation: none, setup: echo no such package; exit 3'), VALIDATE)
    expect(outcome).toMatchObject({
      reason: 'infrastructure',
      code: 'evaluator-setup-failed',
      detail: expect.stringContaining('exit code 3:\nno such package'),
    })
    expect(usage.runnerMs).toBeGreaterThan(0)
  })

  it('when the set-up fails, without what it was given to keep', () => {
    const setup = 'setup: "echo denied: $INPUT_REGISTRY_TOKEN; exit 1", environment: [INPUT_REGISTRY_TOKEN]'
    const place = aPlace(`isolation: none, ${setup}`)
    const ended = runActionStep(action, place, { ...VALIDATE, registry_token: 'hunter2-hunter2' })
    expect(ended.result?.outcome).toMatchObject({ detail: expect.stringContaining('denied: [secret]') })
    expect(`${JSON.stringify(ended.result)}${ended.summary}${ended.stdout}`).not.toContain('hunter2')
  })

  it.each([
    ['missing', { 'src/a.txt': '12\n' }, 'config-missing'],
    ['broken', { '.loreley.yml': 'goal: [' }, 'config-invalid'],
    ['not one of ours', { '.loreley.yml': 'goal: Fast.\nspeed: high\n' }, 'config-invalid'],
  ])('when the config to validate is %s', (_, files, code) => {
    const { outcome } = fail({ workspace: aRepository(files), temp: aFolder() }, VALIDATE)
    expect(outcome).toMatchObject({ reason: 'infrastructure', code })
  })

  it.each([
    ['job failure, root success, base failure, state skipped', 'A step before this one failed: base.'],
    ['job failure, root success, base success, state', 'failed, one of your own set-up.'],
    ['job cancelled, root cancelled', 'it was cancelled'],
  ])('when the workflow says that a step before it broke: %s', (earlier, words) => {
    const { outcome } = fail(aPlace('isolation: none'), { ...BASELINE, earlier })
    const code = earlier.startsWith('job failure') ? 'step-failed' : 'internal'
    expect(outcome).toMatchObject({ reason: 'infrastructure', code, detail: expect.stringContaining(words) })
  })

  it('when what the workflow says is not what a workflow of ours says', () => {
    const { outcome } = fail(aPlace('isolation: none'), { ...BASELINE, earlier: 'job ::error::' })
    expect(outcome).toMatchObject({ code: 'inputs-invalid', detail: expect.not.stringContaining('::error') })
  })

  /** The result of a step that fails, signed as the run that it is of. */
  function fail(at: Parameters<typeof runActionStep>[1], inputs: Readonly<Record<string, string>>) {
    const { exitCode, result, summary, stdout } = runActionStep(action, at, inputs)
    expect(exitCode, stdout).toBe(1)
    expect(summary).toContain('This run failed, not the candidate')
    const { kind, candidate = '', nonce = '' } = inputs
    expect(result).toMatchObject({ kind, candidate, nonce })
    if (result === undefined) throw new Error(stdout)
    return result
  }
})
