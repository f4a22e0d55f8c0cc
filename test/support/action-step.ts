import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ArtifactReading } from '../../src/protocol/artifact.ts'
import { type ProposalDocument, readProposal } from '../../src/protocol/proposal.ts'
import { type ResultDocument, readResult } from '../../src/protocol/result.ts'

/** What a step of the action left behind. */
export interface StepEnd {
  readonly exitCode: number | null
  readonly stdout: string
  readonly outputs: string
  readonly summary: string
  readonly result: ResultDocument | undefined
  readonly proposal: ProposalDocument | undefined
}

/** Runs the built action as a runner would, by the Node of this process, with nothing but a runner's variables. */
export function runActionStep(
  action: string,
  place: { readonly workspace: string; readonly temp: string },
  inputs: Readonly<Record<string, string>>,
): StepEnd {
  const { workspace, temp } = place
  const [outputs, summary] = ['outputs', 'summary'].map((name) => join(temp, name))
  mkdirSync(join(temp, 'home'), { recursive: true })
  for (const file of [outputs, summary]) writeFileSync(file ?? '', '')
  const ended = spawnSync(process.execPath, [join(action, 'dist/main.mjs')], {
    cwd: workspace,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: join(temp, 'home'),
      RUNNER_TEMP: temp,
      GITHUB_WORKSPACE: workspace,
      GITHUB_OUTPUT: outputs,
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_SERVER_URL: 'http://127.0.0.1:9',
      GITHUB_REPOSITORY: 'acme/demo',
      ...Object.fromEntries(
        Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
      ),
    },
  })
  return {
    exitCode: ended.status,
    stdout: ended.stdout + ended.stderr,
    outputs: readFileSync(outputs ?? '', 'utf8'),
    summary: readFileSync(summary ?? '', 'utf8'),
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
