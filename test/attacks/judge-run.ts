import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createCommandEnvironment } from '../../src/pipeline/measuring/command-environment.ts'
import { writePrograms } from '../../src/process/isolation/candidate-launcher.ts'
import { findIsolation } from '../../src/process/isolation/find-isolation.ts'
import { runGroup } from '../../src/process/run-group.ts'
import { aRequest } from '../process/enclosed-run.ts'

/** A candidate, and how its judge starts it. */
export interface JudgeTrial {
  readonly place: string
  /** A Perl script. */
  readonly candidate: string
  readonly judge: string
  /** What the judge puts before the candidate's own command line. */
  readonly start: readonly string[]
}

/** Runs a judge in the enclosure, as the pipeline does, with a candidate as its child. */
export async function runBesideJudge({ place, candidate, judge, start }: JudgeTrial) {
  const node = dirname(process.execPath)
  const path = `${node}:${process.env.PATH ?? ''}`
  const search = await findIsolation(aRequest(place, { path }))
  if (search.status === 'unavailable') throw new Error(search.detail)
  const { isolation } = search
  const [own, trusted, programs] = ['own', 'trusted', 'programs'].map((name) => join(place, name))
  if (own === undefined || trusted === undefined || programs === undefined) throw new Error('no folders')
  const workspace = {
    folder: own,
    files: join(own, 'files'),
    home: join(own, 'home'),
    temp: join(own, 'temp'),
  }
  for (const folder of [...Object.values(workspace), trusted]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(workspace.files, 'candidate.pl'), candidate)
  writeFileSync(join(trusted, 'judge.mjs'), judge)
  writeFileSync(join(trusted, 'held-out.txt'), 'the held-out answer')
  await writePrograms(programs)
  await isolation.give(own)
  const outcome = await runGroup({
    argv: ['node', join(trusted, 'judge.mjs'), ...start],
    cwd: workspace.files,
    env: createCommandEnvironment({
      path,
      programs,
      trusted,
      workspace,
      isolation,
      passedEnvironment: {},
      hidden: ['held-out.txt'],
    }),
    timeoutMs: 30_000,
    maxOutputBytes: 20_000,
    enclosure: { isolation, own, readOnly: [trusted, programs] },
  })
  await isolation.remove(own)
  return { status: outcome.status, stdout: outcome.stdout, stderr: outcome.stderr }
}
