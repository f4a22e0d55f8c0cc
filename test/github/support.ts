import { setImmediate } from 'node:timers/promises'
import type { Octokit } from '@octokit/rest'
import { ApiClient, type SentRequest, type Transport } from '../../src/github/api/api-client.ts'
import { type Clock, SYSTEM_CLOCK } from '../../src/github/api/clock.ts'
import { NO_PACE, NO_STATE_PACE, type PaceSettings } from '../../src/github/api/pace-settings.ts'
import { Pacer } from '../../src/github/api/pacer.ts'
import { RepositoryApi } from '../../src/github/api/repository-api.ts'
import { PERMISSIONS } from '../../src/github/installation/repository-transport.ts'
import { GitHubStore, type GitHubStoreOptions } from '../../src/github/state/github-store.ts'
import { REPO, startTestBox, type TestBox, type TestBoxOptions } from '../sandbox/support.ts'
import { git } from '../support/repository.ts'

/** A clock on which nobody waits: to sleep is to move it on. */
export function aQuickClock(startMs = Date.now()): Clock {
  let nowMs = startMs
  const sleep = async (ms: number): Promise<void> => {
    const target = nowMs + ms
    await setImmediate()
    nowMs = Math.max(nowMs, target)
  }
  return {
    now: () => nowMs,
    sleep,
    after: (ms, task) => {
      let isOff = false
      void sleep(ms).then(() => isOff || task())
      return () => {
        isOff = true
      }
    },
    jitter: () => 0.5,
  }
}

/** A box with the App's own permissions, and clients of ours. */
export interface TestGitHub {
  readonly box: TestBox
  /** The App's own Octokit. */
  readonly octokit: Octokit
  /** Every request that our clients made, in order. */
  readonly sent: SentRequest[]
  /** How many requests of each kind were made by `work`. */
  count(work: () => Promise<unknown>): Promise<Record<string, number>>
  /** A new client, as another process would have. */
  api(changes?: { pace?: PaceSettings; clock?: Clock; transport?: Transport }): RepositoryApi
  store(changes?: Partial<GitHubStoreOptions>): GitHubStore
  /** Runs git in the sandbox's own repository. */
  git(...args: string[]): string
}

/** Starts a box with the repository acme/demo. */
export async function aGitHub(options: TestBoxOptions = {}): Promise<TestGitHub> {
  return await gitHubOf(await startTestBox({ permissions: PERMISSIONS, wellFormed: true, ...options }))
}

/** A box as the App sees it. */
export async function gitHubOf(box: TestBox): Promise<TestGitHub> {
  const octokit = await box.installation()
  const { data } = await octokit.rest.repos.get(REPO)
  const place = { ...REPO, id: data.id, nodeId: data.node_id }
  const sent: SentRequest[] = []
  const folder = (await box.box.git.get(data.id)).repository.commonDir
  const api: TestGitHub['api'] = ({ pace = NO_PACE, clock = SYSTEM_CLOCK, transport = octokit } = {}) => {
    const onRequest = (request: SentRequest) => sent.push(request)
    return new RepositoryApi(
      new ApiClient({
        transport,
        clock,
        pacer: new Pacer(pace, clock),
        maxWaitMs: pace.maxWaitMs,
        onRequest,
      }),
      place,
    )
  }
  return {
    box,
    octokit,
    sent,
    api,
    store: (changes = {}) =>
      new GitHubStore({
        api: api(),
        clock: SYSTEM_CLOCK,
        pace: NO_STATE_PACE,
        eliteNamespace: () => 'branches',
        ...changes,
      }),
    count: async (work) => {
      const before = sent.length
      await work()
      const counts: Record<string, number> = {}
      for (const { kind } of sent.slice(before)) counts[kind] = (counts[kind] ?? 0) + 1
      return counts
    },
    git: (...args) => git(folder, ...args),
  }
}
