import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../src/sandbox/actions/documents.ts'
import { completeJob } from '../../../src/sandbox/actions/runs/jobs.ts'
import { branchFromMain, openPull } from '../pulls/a-pull.ts'
import { failure, REPO, startTestBox, type TestBox, type TestBoxOptions } from '../support.ts'
import { callService } from './acting-job.ts'
import { dispatch, dispatched } from './actions-support.ts'
import { startCacheJob } from './cache-job.ts'

/** A sandbox with a running job on `main`. */
async function working(options: TestBoxOptions = {}) {
  const { box, run } = await dispatched(options)
  return { box, run, job: await startCacheJob(box, run) }
}

const jobOn = async (box: TestBox, branch: string) =>
  await startCacheJob(box, await dispatch(box, 'wendy', branch))

const call = (box: TestBox, method: string, body: unknown, token?: string) =>
  callService(box, `CacheService/${method}`, { body, ...(token === undefined ? {} : { token }) })

async function listed(box: TestBox, query: { readonly ref?: string; readonly key?: string } = {}) {
  const { data } = await box.as('rita').rest.actions.getActionsCacheList({ ...REPO, ...query })
  return data.actions_caches
}

describe("GitHub's own cache client", () => {
  it('a cache entry serves later runs, is listed by REST and survives a restart', async () => {
    const { box, job } = await working()
    const id = await job.save('deps-1', 'one')
    expect(await (await jobOn(box, 'main')).restore('deps-1')).toEqual({ key: 'deps-1', text: 'one' })
    const [shown] = await listed(box)
    expect(shown).toMatchObject({ id, key: 'deps-1', ref: 'refs/heads/main' })
    expect(shown?.size_in_bytes).toBeGreaterThan(0)
    expect(readdirSync(join(box.folder, 'actions', 'uploads'))).toEqual([])
    await box.close()
    const again = await startTestBox({ folder: box.folder })
    expect(await (await jobOn(again, 'main')).restore('deps-1')).toEqual({ key: 'deps-1', text: 'one' })
  })

  it('a cache entry cannot be replaced, not even while its upload is unfinished', async () => {
    const { box, job } = await working()
    const slow = { key: 'slow', version: 'v' }
    expect((await call(box, 'CreateCacheEntry', slow)).json.ok).toBe(true)
    expect(await call(box, 'CreateCacheEntry', slow)).toEqual({
      status: 409,
      json: {
        code: 'already_exists',
        msg: 'cache entry with the same key, version, and scope already exists',
      },
    })
    await job.save('deps', 'one')
    const later = await jobOn(box, 'main')
    expect(await later.save('deps', 'evil')).toBeUndefined()
    expect(await later.restore('deps')).toEqual({ key: 'deps', text: 'one' })
  })

  it('a lookup prefers the exact key, then the newest with that prefix, then each restore key', async () => {
    const { job } = await working()
    for (const key of ['deps-linux', 'deps-linux-1', 'deps-linux-2', 'deps-mac-1']) await job.save(key, key)
    const found = async (key: string, ...more: string[]) => (await job.restore(key, more))?.key
    expect(await found('deps-linux')).toBe('deps-linux')
    expect(await found('deps-linux-')).toBe('deps-linux-2')
    expect(await found('deps-linux-9', 'deps-mac-', 'deps-linux-1')).toBe('deps-mac-1')
    expect(await found('none', 'nothing', 'deps-')).toBe('deps-mac-1')
    expect(await found('none', 'linux')).toBeUndefined()
  })

  it('a lookup finds nothing that was kept for other paths', async () => {
    const { job } = await working()
    await job.save('deps', 'one')
    expect(await job.restore('deps', [], 'other.txt')).toBeUndefined()
    await job.save('deps', 'two', 'other.txt')
    expect(await job.restore('deps', [], 'other.txt')).toEqual({ key: 'deps', text: 'two' })
    expect(await job.restore('deps')).toEqual({ key: 'deps', text: 'one' })
  })

  it("a run reads its own branch's caches first, then the default branch's, and no others", async () => {
    const { box, job: main } = await working()
    await main.save('deps-main', 'of main')
    for (const branch of ['topic', 'other']) await branchFromMain(box.as('wendy'), branch)
    const topic = await jobOn(box, 'topic')
    expect(await topic.restore('none', ['deps-'])).toEqual({ key: 'deps-main', text: 'of main' })
    await topic.save('deps-topic', 'of topic')
    await topic.save('deps-main', 'shadow')
    expect(await topic.restore('deps-main')).toEqual({ key: 'deps-main', text: 'shadow' })
    for (const branch of ['main', 'other']) {
      const job = await jobOn(box, branch)
      expect(await job.restore('deps-topic')).toBeUndefined()
      expect(await job.restore('deps-main')).toEqual({ key: 'deps-main', text: 'of main' })
    }
    expect((await listed(box, { ref: 'refs/heads/topic' })).map(({ key }) => key)).toEqual([
      'deps-main',
      'deps-topic',
    ])
  })

  it("a pull request's run also reads the base's caches, not the head's, and keeps its own to itself", async () => {
    const jobs = "jobs: { a: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] } }"
    const box = await startTestBox({
      files: {
        'src/a.txt': 'one\n',
        '.github/workflows/go.yml': `on: [workflow_dispatch, pull_request]\n${jobs}\n`,
      },
      runner: { path: process.env.PATH ?? '' },
    })
    const wendy = box.as('wendy')
    await branchFromMain(wendy, 'release')
    await (await jobOn(box, 'release')).save('deps-release', 'of the base')
    const { pull_number } = await openPull(wendy)
    await (await jobOn(box, 'topic')).save('deps-topic', 'of the head')
    await wendy.rest.pulls.update({ ...REPO, pull_number, state: 'closed' })
    await wendy.rest.pulls.create({ ...REPO, title: 'Again', head: 'topic', base: 'release' })
    await box.runner?.settled()
    const run = runs(box.box.store)
      .all()
      .findLast(({ event }) => event === 'pull_request')
    if (run === undefined) throw new Error('the pull request started nothing')
    const job = await startCacheJob(box, run)
    expect((await job.restore('deps-release'))?.text).toBe('of the base')
    expect(await job.restore('deps-topic')).toBeUndefined()
    await job.save('deps-pull', 'of the pull request')
    expect((await listed(box, { key: 'deps-pull' })).map(({ ref }) => ref)).toEqual([run.ref])
    expect(await (await jobOn(box, 'release')).restore('deps-pull')).toBeUndefined()
  })

  it('a deleted cache entry is gone and its key is free again', async () => {
    const { box, job } = await working()
    await branchFromMain(box.as('wendy'), 'topic')
    const id = (await job.save('deps', 'one')) ?? 0
    const { actions } = box.as('wendy').rest
    const byReader = box.as('rita').rest.actions.deleteActionsCacheById({ ...REPO, cache_id: id })
    expect((await failure(byReader)).status).toBe(403)
    await actions.deleteActionsCacheById({ ...REPO, cache_id: id })
    expect(await job.restore('deps')).toBeUndefined()
    await job.save('deps', 'two')
    await (await jobOn(box, 'topic')).save('deps', 'three')
    const ref = 'refs/heads/main'
    const removed = await actions.deleteActionsCacheByKey({ ...REPO, key: 'deps', ref })
    expect(removed.data.actions_caches.map((entry) => entry.ref)).toEqual([ref])
    expect(await listed(box)).toMatchObject([{ ref: 'refs/heads/topic' }])
    expect((await failure(actions.deleteActionsCacheByKey({ ...REPO, key: 'deps', ref }))).status).toBe(404)
    expect(readdirSync(join(box.folder, 'actions', 'caches'))).toHaveLength(1)
  })
})

describe('the cache service', () => {
  it("the token's run decides the scope, not the request", async () => {
    const { box } = await working()
    await branchFromMain(box.as('wendy'), 'topic')
    const topic = await jobOn(box, 'topic')
    const metadata = { repository_id: '1', scope: [{ scope: 'refs/heads/main', permission: '3' }] }
    const body = { metadata, key: 'deps', version: 'v' }
    const { signed_upload_url: link } = (await call(box, 'CreateCacheEntry', body)).json
    await fetch(link, { method: 'PUT', body: 'evil' })
    expect((await call(box, 'FinalizeCacheEntryUpload', body)).json.ok).toBe(true)
    expect(await listed(box)).toMatchObject([{ ref: 'refs/heads/topic' }])
    await completeJob(box.box, topic.id, 'success')
    expect((await call(box, 'GetCacheEntryDownloadURL', body)).json.code).toBe('unauthenticated')
    expect((await call(box, 'GetCacheEntryDownloadURL', body, box.token('olivia'))).status).toBe(401)
  })

  it('an entry is kept only if its own job uploaded it at its true size, and its key is freed otherwise', async () => {
    const { box, run, job } = await working()
    const body = { key: 'deps', version: 'v' }
    const code = async (method: string, more: object = {}) =>
      (await call(box, method, { ...body, ...more })).json.code
    expect(await code('FinalizeCacheEntryUpload')).toBe('not_found')
    const { signed_upload_url: link } = (await call(box, 'CreateCacheEntry', body)).json
    expect(await code('FinalizeCacheEntryUpload')).toBe('failed_precondition')
    await fetch(link, { method: 'PUT', body: 'four' })
    expect(await code('FinalizeCacheEntryUpload', { size_bytes: '5' })).toBe('invalid_argument')
    expect((await call(box, 'GetCacheEntryDownloadURL', body)).json.ok).toBe(false)
    const other = await startCacheJob(box, run)
    expect(await code('FinalizeCacheEntryUpload', { size_bytes: '4' })).toBe('not_found')
    expect(await code('CreateCacheEntry')).toBe('already_exists')
    await completeJob(box.box, job.id, 'cancelled')
    expect(await code('CreateCacheEntry')).toBeUndefined()
    await completeJob(box.box, other.id, 'success')
    expect(await listed(box)).toEqual([])
  })

  it('the cache service refuses keys and versions that clients never send', async () => {
    const { box } = await working()
    for (const body of [
      {},
      { key: 'a,b', version: 'v' },
      { key: 'x'.repeat(513), version: 'v' },
      { key: 'a' },
    ]) {
      expect((await call(box, 'CreateCacheEntry', body)).json.code).toBe('invalid_argument')
      expect((await call(box, 'GetCacheEntryDownloadURL', body)).json.code).toBe('invalid_argument')
    }
    expect((await call(box, 'Nothing', {})).json.code).toBe('bad_route')
  })
})
