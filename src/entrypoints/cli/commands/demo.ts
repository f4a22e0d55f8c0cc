import { rm } from 'node:fs/promises'
import { availableParallelism, homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Policy } from '../../../core/campaign/engine-config.ts'
import { LoreleyError } from '../../../errors.ts'
import { isolateOnRunner } from '../../action/runner-isolation.ts'
import { playCircles } from '../demo/circles.ts'
import { type ExampleOptions, loadExample } from '../demo/example-repository.ts'
import { type Installation, startInstallation } from '../demo/installation.ts'
import { renderAct, renderBeginning } from '../demo/output.ts'
import { openStage, type Stage } from '../demo/stage.ts'
import { playWords } from '../demo/words.ts'
import { reportFault } from '../report-fault.ts'

export interface DemoOptions {
  readonly candidates?: number
  readonly parallel?: number
  readonly seed?: number
  readonly policy?: Policy
  readonly port: number
  readonly json?: true
  readonly keep?: true
}

const CANDIDATES = 24
const NOISY_CANDIDATES = 8
const SEED = 1
const CIRCLES = 'circle-packing'
const WORDS = 'word-count'

/** `loreley demo`: the whole product on this machine, from a label to a draft pull request, twice. */
export async function demo(options: DemoOptions): Promise<void> {
  const stage = await openStage(options)
  const { folder, stopped } = stage
  let installation: Installation | undefined
  try {
    const example = await readExampleOptions(options, folder)
    const noisy = { ...example, candidates: NOISY_CANDIDATES }
    const repositories = {
      [CIRCLES]: await loadExample(CIRCLES, example),
      [WORDS]: await loadExample(WORDS, noisy),
    }
    const { parallel } = example
    installation = await startInstallation({
      folder: join(folder, 'github'),
      port: options.port,
      repositories,
      parallel,
    })
    stage.say(renderBeginning(installation.url, example))
    const circles = installation.site(CIRCLES)
    stage.say(renderAct(circles, 'packs 26 circles into a square, badly', example))
    const outcome = await playCircles(circles, stage)
    const words = installation.site(WORDS)
    stage.say(
      renderAct(words, 'counts the words of a text, slowly, and every run takes a different time', noisy),
    )
    const noise = await playWords(words, stage)
    stage.say(`\n${stage.seconds()} s in total.`)
    if (options.json) console.log(JSON.stringify({ ...outcome, noisy: noise, seconds: stage.seconds() }))
    if (options.keep) await stayUp(stage)
  } catch (error) {
    process.exitCode = reportFault(error)
    if (options.keep && installation !== undefined && !stopped.aborted) await stayUp(stage)
  } finally {
    await installation?.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function readExampleOptions(options: DemoOptions, folder: string): Promise<ExampleOptions> {
  const { seed = SEED, candidates = CANDIDATES, policy } = options
  const parallel = options.parallel ?? Math.max(2, availableParallelism())
  const withoutIsolation = await findMissingIsolation(folder)
  return { seed, candidates, policy, parallel, withoutIsolation }
}

async function stayUp({ stopped, say }: Stage): Promise<void> {
  say('\nThe sandbox runs until Ctrl-C. In the browser you can be any of its users: pick one at the top.')
  if (stopped.aborted) return
  await new Promise((resolve) => stopped.addEventListener('abort', resolve, { once: true }))
}

/** Why the action could not isolate candidate code on this machine; undefined when it can. */
async function findMissingIsolation(folder: string): Promise<string | undefined> {
  const machine = {
    folder,
    workspace: folder,
    home: homedir(),
    temp: tmpdir(),
    toolCache: '',
    isHosted: false,
    path: process.env.PATH ?? '',
  }
  try {
    await isolateOnRunner(machine, { isolation: 'auto', network: 'none' })
    return undefined
  } catch (error) {
    if (error instanceof LoreleyError && error.code === 'isolation-unavailable') return error.message
    throw error
  }
}
