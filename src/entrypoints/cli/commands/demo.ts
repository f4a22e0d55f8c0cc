import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Policy } from '../../../core/campaign.ts'
import { watchCampaign } from '../demo/campaign-watch.ts'
import { type ExampleOrder, loadExample } from '../demo/example-repository.ts'
import { type Installation, MAINTAINER, REPO, startInstallation } from '../demo/installation.ts'
import { findMissingIsolation } from '../demo/machine.ts'
import { assertKept, evaluateByHand, lookAround, type Shown } from '../demo/proof.ts'
import { renderBeginning, renderEntry, renderFindings, renderLabelled } from '../demo/story.ts'
import { reportFault } from '../report-fault.ts'
import { summarise } from './status.ts'

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
const SEED = 1
const ISSUE = {
  title: 'Pack the circles better',
  body: 'The spiral wastes the corners. A better start, or more patient growing, should help.',
}

/** `loreley demo`: the whole product on this machine, from a label to a draft pull request. */
export async function demo(options: DemoOptions): Promise<void> {
  const stage = await openStage(options)
  const { folder, stopped } = stage
  let installation: Installation | undefined
  try {
    const { seed = SEED, candidates = CANDIDATES, policy } = options
    const parallel = options.parallel ?? Math.max(2, availableParallelism())
    const withoutIsolation = await findMissingIsolation(folder)
    const order: ExampleOrder = { seed, candidates, policy, parallel, withoutIsolation }
    const files = await loadExample(order)
    const { port } = options
    installation = await startInstallation({ folder: join(folder, 'github'), port, files, parallel })
    stage.say(renderBeginning(installation, order))
    const outcome = await play(installation, stage)
    if (options.json) console.log(JSON.stringify(outcome))
    if (options.keep) await stayUp(stage)
  } catch (error) {
    process.exitCode = reportFault(error)
    if (options.keep && installation !== undefined && !stopped.aborted) await stayUp(stage)
  } finally {
    await installation?.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface Stage {
  readonly folder: string
  /** Ctrl-C. */
  readonly stopped: AbortSignal
  say(text: string): void
  seconds(): number
}

async function openStage({ json }: DemoOptions): Promise<Stage> {
  const startedAt = performance.now()
  const abort = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => abort.abort())
  return {
    folder: await mkdtemp(join(tmpdir(), 'loreley-demo-')),
    stopped: abort.signal,
    // What machines read is alone on stdout.
    say: json ? console.error : console.log,
    seconds: () => Math.round((performance.now() - startedAt) / 100) / 10,
  }
}

/** Lets the maintainer begin, watches the campaign to its end, and checks what was promised. */
async function play(installation: Installation, stage: Stage): Promise<Record<string, unknown>> {
  const { folder, stopped, say, seconds } = stage
  const issue = await putLabel(installation)
  say(renderLabelled(installation, issue, MAINTAINER))
  const { state } = await watchCampaign(installation, {
    folder,
    campaign: `default-${issue}`,
    signal: stopped,
    onEntry: (entry, snapshot) => say(renderEntry(entry, snapshot.state, seconds())),
  })
  const look = (): Promise<Shown> => lookAround(installation, state, issue)
  const shown = await untilShown(look)
  assertKept(state, shown)
  const hand = await evaluateByHand(installation, state, folder)
  say(renderFindings(installation, state, { issue, shown, hand, seconds: seconds() }))
  const { baseline, best, candidates } = summarise(state)
  const counts = { cells: shown.elites.length, pullRequests: shown.pulls.length }
  return { baseline, best, candidates, ...counts, seconds: seconds() }
}

/** What the maintainer does, and all she has to do. */
async function putLabel({ maintainer }: Installation): Promise<number> {
  await maintainer.request('POST /repos/{owner}/{repo}/labels', { ...REPO, name: 'loreley' })
  const { data } = await maintainer.request('POST /repos/{owner}/{repo}/issues', { ...REPO, ...ISSUE })
  const place = { ...REPO, issue_number: data.number }
  const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels'
  await maintainer.request(route, { ...place, labels: ['loreley'] })
  return data.number
}

const LAST_LOOKS = 60
const LOOK_MS = 500

// A dashboard is not edited at every step: its last edit comes a little after the campaign's end.
async function untilShown(look: () => Promise<Shown>): Promise<Shown> {
  for (let looks = 1; ; looks += 1) {
    const shown = await look()
    if (shown.dashboard !== undefined || looks === LAST_LOOKS) return shown
    await delay(LOOK_MS)
  }
}

async function stayUp({ stopped, say }: Stage): Promise<void> {
  say('\nThe box stays up until Ctrl-C. In the browser you may be any of its users: pick one at the top.')
  if (stopped.aborted) return
  await new Promise((resolve) => stopped.addEventListener('abort', resolve, { once: true }))
}
