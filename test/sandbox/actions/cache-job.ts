import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { restoreCache, saveCache } from '@actions/cache'
import { onTestFinished, vi } from 'vitest'
import type { Run } from '../../../src/sandbox/actions/documents.ts'
import { queueJob, startJob } from '../../../src/sandbox/actions/runs/jobs.ts'
import type { TestBox } from '../support.ts'
import { actAs } from './acting-job.ts'
import { JOB } from './actions-support.ts'

/** A restored cache: the entry's key and the text of its file. */
export interface Restored {
  readonly key: string
  readonly text: string
}

/** A running job with GitHub's own cache client. The client acts for the job that was created last. */
export interface CacheJob {
  readonly id: number
  /** Caches a file with this text, under the same path in all jobs. Undefined when refused. */
  save(key: string, text: string, path?: string): Promise<number | undefined>
  restore(key: string, restoreKeys?: readonly string[], path?: string): Promise<Restored | undefined>
}

/** Starts a job of this run with its own workspace. */
export async function startCacheJob(box: TestBox, run: Run): Promise<CacheJob> {
  const job = await queueJob(box.box, run, JOB)
  await startJob(box.box, job.id, 'here')
  const folder = await mkdtemp(join(tmpdir(), 'loreley-caches-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  actAs(box, job)
  vi.stubEnv('GITHUB_WORKSPACE', folder)
  vi.stubEnv('RUNNER_TEMP', folder)
  return {
    id: job.id,
    save: async (key, text, path = 'kept.txt') => {
      await writeFile(join(folder, path), text)
      const id = await within(folder, () => saveCache([path], key))
      return id === -1 ? undefined : id
    },
    restore: async (key, restoreKeys = [], path = 'kept.txt') => {
      await rm(join(folder, path), { force: true })
      const found = await within(folder, () => restoreCache([path], key, [...restoreKeys]))
      if (found === undefined) return undefined
      if (!existsSync(join(folder, path))) throw new Error('the cache held something else')
      return { key: found, text: await readFile(join(folder, path), 'utf8') }
    },
  }
}

// The client resolves paths from its current directory and restores them below the workspace.
async function within<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  const before = process.cwd()
  process.chdir(folder)
  try {
    return await work()
  } finally {
    process.chdir(before)
  }
}
