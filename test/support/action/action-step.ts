import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ArtifactReading } from '../../../src/protocol/artifact.ts'
import { type ProposalDocument, readProposal } from '../../../src/protocol/proposal.ts'
import { type ResultDocument, readResult } from '../../../src/protocol/result.ts'

/** What a step of the action left behind. */
export interface StepEnd {
  readonly exitCode: number | null
  readonly stdout: string
  readonly outputs: string
  readonly summary: string
  readonly result: ResultDocument | undefined
  readonly proposal: ProposalDocument | undefined
}

/** Who runs the action, where that is not us. */
export interface StepUser {
  /** What its command line begins with. */
  readonly through: readonly string[]
  /** Called when all files are there that the step will use. */
  prepared(): void
}

const OURSELVES: StepUser = { through: [], prepared: () => undefined }

export interface StepPlace {
  readonly workspace: string
  readonly temp: string
  /** Where programs are found, if not where this process finds them. */
  readonly path?: string
  /** What the runner says of itself otherwise than usual. */
  readonly variables?: Readonly<Record<string, string>>
}

type Inputs = Readonly<Record<string, string>>

/** Runs the built action as a runner would, by the Node of this process, with nothing but a runner's variables. */
export function runActionStep(
  action: string,
  place: StepPlace,
  inputs: Inputs,
  { through, prepared } = OURSELVES,
): StepEnd {
  const env = prepare(place, inputs)
  prepared()
  const [program = '', ...args] = [...through, ...commandOf(action)]
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: place.workspace, encoding: 'utf8', env })
  return readEnd(place, status, stdout + stderr)
}

/** The same, and sends a signal as soon as a file is there, as a runner does when a job is cancelled. */
export async function cutOffActionStep(
  action: string,
  place: StepPlace,
  inputs: Inputs,
  { signal, file }: { readonly signal: NodeJS.Signals; readonly file: string },
): Promise<StepEnd> {
  const env = prepare(place, inputs)
  const [program = '', ...args] = commandOf(action)
  const child = spawn(program, args, { cwd: place.workspace, env })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const ended = once(child, 'close')
  while (!existsSync(file) && child.exitCode === null) await setTimeout(20)
  child.kill(signal)
  await ended
  return readEnd(place, child.exitCode, said)
}

const commandOf = (action: string): string[] => [process.execPath, join(action, 'dist/main.mjs')]
const spokenIn = (temp: string): string[] => ['outputs', 'summary'].map((name) => join(temp, name))

/** Makes the files that a step speaks through, and gives its environment. */
function prepare({ workspace, temp, path = process.env.PATH, variables }: StepPlace, inputs: Inputs) {
  const [outputs = '', summary = ''] = spokenIn(temp)
  mkdirSync(join(temp, 'home'), { recursive: true })
  for (const file of [outputs, summary]) writeFileSync(file, '')
  return {
    PATH: path,
    HOME: join(temp, 'home'),
    RUNNER_TEMP: temp,
    GITHUB_WORKSPACE: workspace,
    GITHUB_OUTPUT: outputs,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_SERVER_URL: 'http://127.0.0.1:9',
    GITHUB_REPOSITORY: 'acme/demo',
    ...variables,
    ...Object.fromEntries(
      Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
    ),
  }
}

function readEnd({ temp }: StepPlace, exitCode: number | null, stdout: string): StepEnd {
  const [outputs = '', summary = ''] = spokenIn(temp).map((file) => readFileSync(file, 'utf8'))
  return {
    exitCode,
    stdout,
    outputs,
    summary,
    result: readDocument(join(temp, 'loreley/result.json'), readResult),
    proposal: readDocument(join(temp, 'loreley/proposal.json'), readProposal),
  }
}

function readDocument<T>(file: string, read: (bytes: Uint8Array) => ArtifactReading<T>): T | undefined {
  if (!existsSync(file)) return undefined
  const reading = read(readFileSync(file))
  if (reading.status === 'unreadable') throw new Error(reading.detail)
  return reading.document
}
