import { parse } from 'yaml'
import * as z from 'zod'
import { dispatchInputs, RUN_KINDS, renderRunName } from '../../src/protocol/dispatch.ts'

const texts = z.record(z.string(), z.string())
const step = z.looseObject({
  id: z.string().optional(),
  uses: z.string().default(''),
  run: z.string().default(''),
  if: z.string().default(''),
  with: z.record(z.string(), z.unknown()).default({}),
  env: texts.default({}),
})
const job = z.looseObject({
  if: z.string().default(''),
  outputs: texts.default({}),
  permissions: texts.default({}),
  'runs-on': z.union([z.string(), z.array(z.string())]),
  'timeout-minutes': z.number().optional(),
  environment: z.unknown().optional(),
  env: texts.default({}),
  container: z.looseObject({ image: z.string() }).optional(),
  steps: z.array(step),
})
const workflow = z.looseObject({
  'run-name': z.string().default(''),
  on: z.record(z.string(), z.unknown()),
  permissions: z.unknown(),
  env: texts.default({}),
  concurrency: z.looseObject({ group: z.string().default('') }).default({ group: '' }),
  jobs: z.record(z.string(), job),
})

type Workflow = z.output<typeof workflow>
type Job = z.output<typeof job>
/** What a rule finds wrong, in a few words each. */
type Rule = (flow: Workflow, text: string) => readonly string[]

const OURS = 'loreley-evolution/loreley/action@'
const SHA = /@[0-9a-f]{40}$/
/** What the key, the token and our own variables could be read from. */
const SECRET = /\bsecrets\b|\bgithub\.token\b|\bGITHUB_TOKEN\b/

/** What must hold of every workflow that users copy. */
const COMMON: Readonly<Record<string, Rule>> = {
  'nobody outside can start it': ({ on }) =>
    Object.keys(on).filter((event) => !['workflow_dispatch', 'schedule'].includes(event)),
  'nothing is granted to all jobs': ({ permissions }) =>
    JSON.stringify(permissions) === '{}' ? [] : ['permissions of the workflow'],
  'a job may read contents at most': ({ jobs }) =>
    Object.values(jobs)
      .flatMap(({ permissions }) => Object.entries(permissions))
      .filter(([what, how]) => what !== 'contents' || how !== 'read')
      .map(([what, how]) => `${what}: ${how}`),
  'actions of others are pinned by commit': ({ jobs }) =>
    allSteps(jobs)
      .map(({ uses }) => uses)
      .filter((uses) => uses !== '' && !uses.startsWith(OURS) && !SHA.test(uses)),
  'a pin says which release it is': (_, text) =>
    text.split('\n').filter((line) => /@[0-9a-f]{40}/.test(line) && !/ # v\d+\.\d+\.\d+$/.test(line)),
  'images are pinned by digest': ({ jobs }) =>
    Object.values(jobs)
      .flatMap(({ container }) => container?.image ?? [])
      .filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image)),
  'no expression is put into a shell': ({ jobs }) =>
    allSteps(jobs)
      .map(({ run }) => run)
      .filter((run) => run.includes(`\${{`)),
  'no cache is restored': ({ jobs }) =>
    allSteps(jobs)
      .filter((each) => /cache/.test(each.uses) || Object.keys(each.with).some((key) => /cache/.test(key)))
      .map(({ uses }) => uses),
  'a checkout keeps no token': ({ jobs }) =>
    allSteps(jobs)
      .filter(
        (each) => each.uses.startsWith('actions/checkout@') && each.with['persist-credentials'] !== false,
      )
      .map(({ uses }) => uses),
  'every job has a limit of time': ({ jobs }) =>
    Object.keys(jobs).filter((id) => (jobs[id]?.['timeout-minutes'] ?? Number.POSITIVE_INFINITY) > 60),
  'it has a concurrency group': ({ concurrency }) => (concurrency.group === '' ? ['no group'] : []),
  'it names its runs': (flow) => (flow['run-name'] === '' ? ['no run-name'] : []),
  'machines are named by version': ({ jobs }) =>
    Object.values(jobs)
      .flatMap((each) => each['runs-on'])
      .filter((label) => label.endsWith('-latest')),
}

/** What must hold besides of a workflow that makes and measures candidates. */
const CANDIDATES: Readonly<Record<string, Rule>> = {
  'only the step that lets the agent work sees a secret': ({ env, jobs, ...rest }) => [
    ...findSecrets('the workflow', [env, rest]),
    ...Object.entries(jobs).flatMap(([id, { steps, ...head }]) => [
      ...findSecrets(id, head),
      ...steps.flatMap((each, index) =>
        each.with.step === 'propose' ? [] : findSecrets(`${id}, step ${index + 1}`, each),
      ),
    ]),
  ],
  'only propose has the environment of the key': ({ jobs }) =>
    Object.keys(jobs).filter((id) => (jobs[id]?.environment === 'loreley') !== (id === 'propose')),
  'evaluate is given no variables': ({ env, jobs }) =>
    [env, jobs.evaluate?.env ?? {}, ...(jobs.evaluate?.steps ?? []).map((each) => each.env)].flatMap(
      Object.keys,
    ),
  'the job with the key runs on a fresh machine': ({ jobs }) =>
    [jobs.propose?.['runs-on'] ?? []].flat().filter((label) => !/^ubuntu-\d/.test(label)),
  'propose runs no commands and checks nothing out': ({ jobs }) =>
    (jobs.propose?.steps ?? [])
      .map(({ uses, run }) => uses || run)
      .filter((what) => !what.startsWith(OURS) && !what.startsWith('actions/upload-artifact@')),
  'its inputs are those of the protocol': ({ on }) => compareInputs(on.workflow_dispatch),
  'the name of a run is what the App looks for': (flow) => {
    const name = flow['run-name'].replaceAll(/\$\{\{ inputs\.(\w+) \}\}/g, (_, input) => SAMPLE[input] ?? '')
    return name === renderRunName(dispatchInputs.parse(SAMPLE)) ? [] : [name]
  },
  'one run a candidate at a time': ({ concurrency }) =>
    concurrency.group.includes('inputs.candidate') ? [] : [concurrency.group],
  'the job that measures names what it measures': ({ jobs }) =>
    jobs.evaluate?.name === `evaluate \${{ needs.propose.outputs.proposal }}`
      ? []
      : [String(jobs.evaluate?.name)],
  'a result is handed on whatever happens': ({ jobs }) => {
    const last = jobs.evaluate?.steps.at(-1)
    return last?.uses.startsWith('actions/upload-artifact@') && last.if.includes('always()')
      ? []
      : ['no upload']
  },
  'a step of ours says what broke before it': ({ jobs }) =>
    Object.values(jobs).flatMap(({ steps }) =>
      steps.flatMap((each, index) => {
        if (!each.uses.startsWith(OURS)) return []
        const earlier = String(each.with.earlier)
        const ids = steps.slice(0, index).flatMap(({ id }) => id ?? [])
        return [
          ...(each.if.includes('always()') ? [] : ['not started']),
          ...(earlier.includes(`job \${{ job.status }}`) ? [] : ['not told of the job']),
          ...ids.filter((id) => !earlier.includes(`${id} \${{ steps.${id}.outcome }}`)),
        ]
      }),
    ),
  'only a proposal that was handed on is evaluated': ({ jobs: { propose, evaluate } }) => {
    const isHandedOn = /steps\.upload\.outputs\.artifact-id && steps\.propose\.outputs\.tree/
    const isNot = /!\(steps\.propose\.outputs\.tree && steps\.upload\.outputs\.artifact-id\)/
    return [
      ...(isHandedOn.test(propose?.outputs.proposal ?? '') ? [] : ['a proposal without an artifact']),
      ...(evaluate?.if.includes("needs.propose.result == 'success' && needs.propose.outputs.proposal")
        ? []
        : ['evaluate after a failed propose']),
      ...(isNot.test(propose?.steps.at(-1)?.if ?? '') ? [] : ['no result when the upload failed']),
    ]
  },
}

/** Rules for this repository's own workflows, besides the common ones that hold everywhere. */
const OWN: Readonly<Record<string, Rule>> = {
  'no stranger starts it with rights': ({ on }) =>
    Object.keys(on).filter((event) => !['push', 'pull_request', 'workflow_dispatch'].includes(event)),
  'a job that may write runs no code from the repository or npm': ({ jobs }) =>
    Object.values(jobs)
      .filter(({ permissions }) => Object.values(permissions).includes('write'))
      .flatMap(({ steps }) => steps)
      .map(({ uses, run }) => uses || run)
      .filter((what) => what.startsWith('actions/checkout@') || /\b(?:npm|npx|node)\b/.test(what)),
  'only a manual start may write': ({ on, jobs }) =>
    Object.keys(on).join() === 'workflow_dispatch'
      ? []
      : Object.entries(jobs).flatMap(([id, { permissions }]) =>
          Object.values(permissions).includes('write') ? [id] : [],
        ),
  'a job that holds the token may write': ({ jobs }) =>
    Object.entries(jobs).flatMap(([id, each]) =>
      Object.values(each.permissions).includes('write') ? [] : findSecrets(id, each),
    ),
}

const COMMIT = '0123456789abcdef0123456789abcdef01234567'
const SAMPLE: Readonly<Record<string, string>> = {
  kind: 'baseline',
  candidate: 'speed-0000',
  nonce: 'a-nonce-42',
  state: COMMIT,
  root: COMMIT,
  base: COMMIT,
}

/** Every rule that a workflow breaks, with what breaks it. */
export function findFaults(text: string): string[] {
  const flow = workflow.parse(parse(text))
  const rules = { ...COMMON, ...('propose' in flow.jobs ? CANDIDATES : {}) }
  return Object.entries(rules).flatMap(([name, rule]) => rule(flow, text).map((what) => `${name}: ${what}`))
}

/** Lists every rule that a workflow of this repository breaks, with what breaks it. */
export function findOwnFaults(text: string): string[] {
  const flow = workflow.parse(parse(text))
  return Object.entries(OWN_RULES).flatMap(([name, rule]) =>
    rule(flow, text).map((what) => `${name}: ${what}`),
  )
}

// Users' workflows have fewer events and rights than ours need.
const {
  'nobody outside can start it': _events,
  'a job may read contents at most': _rights,
  ...EVERYWHERE
} = COMMON
const OWN_RULES: Readonly<Record<string, Rule>> = { ...EVERYWHERE, ...OWN }

/** The names of all rules for templates. */
export const RULES: readonly string[] = [...Object.keys(COMMON), ...Object.keys(CANDIDATES)]

/** The names of the rules that only our own workflows have. */
export const RULES_FOR_OWN: readonly string[] = Object.keys(OWN)

function allSteps(jobs: Readonly<Record<string, Job>>) {
  return Object.values(jobs).flatMap(({ steps }) => steps)
}

function findSecrets(where: string, part: unknown): string[] {
  return SECRET.test(JSON.stringify(part)) ? [where] : []
}

function compareInputs(dispatch: unknown): string[] {
  const inputs = z
    .object({ inputs: z.record(z.string(), z.looseObject({ options: z.array(z.string()).optional() })) })
    .parse(dispatch).inputs
  const known = new Set(dispatchInputs.options.flatMap(({ shape }) => Object.keys(shape)))
  const kinds = inputs.kind?.options ?? []
  return [
    ...Object.keys(inputs).filter((name) => !known.has(name)),
    ...[...known].filter((name) => !(name in inputs)),
    ...(kinds.join() === RUN_KINDS.join() ? [] : [`kinds ${kinds.join()}`]),
  ]
}
