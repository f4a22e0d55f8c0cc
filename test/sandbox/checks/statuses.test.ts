import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox } from '../support.ts'

describe('commit statuses', () => {
  it('the combined status takes the newest status of each context', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const wendy = box.as('wendy')
    const { sha } = (await wendy.rest.repos.getCommit({ ...REPO, ref: 'main' })).data
    const combined = async () =>
      (await wendy.rest.repos.getCombinedStatusForRef({ ...REPO, ref: 'main' })).data
    const set = async (context: string, state: 'success' | 'pending' | 'failure' | 'error') =>
      await wendy.rest.repos.createCommitStatus({ ...REPO, sha, context, state })
    expect(await combined()).toMatchObject({ state: 'pending', total_count: 0 })
    await set('ci', 'pending')
    await set('lint', 'success')
    expect((await combined()).state).toBe('pending')
    await set('ci', 'success')
    expect(await combined()).toMatchObject({ state: 'success', total_count: 2, sha })
    await set('ci', 'error')
    expect((await combined()).state).toBe('failure')
    const all = await wendy.rest.repos.listCommitStatusesForRef({ ...REPO, ref: sha })
    expect(all.data.map(({ context, state }) => `${context} ${state}`)).toEqual([
      'ci error',
      'ci success',
      'lint success',
      'ci pending',
    ])
    await box.settled()
    const told = receiver.received.filter(({ event }) => event === 'status')
    expect(told).toHaveLength(4)
    expect(told[0]?.payload).toMatchObject({ context: 'ci', state: 'pending', branches: [{ name: 'main' }] })
  })

  it('a status is refused without permission, commit or valid fields', async () => {
    const box = await startTestBox()
    const wendy = box.as('wendy')
    const { sha } = (await wendy.rest.repos.getCommit({ ...REPO, ref: 'main' })).data
    const draft = { ...REPO, sha, state: 'success' as const }
    expect((await failure(box.as('rita').rest.repos.createCommitStatus(draft))).status).toBe(403)
    const reader = await box.installation({ statuses: 'read' })
    expect((await failure(reader.rest.repos.createCommitStatus(draft))).status).toBe(403)
    const unknown = { ...draft, sha: 'f'.repeat(40) }
    expect((await failure(wendy.rest.repos.createCommitStatus(unknown))).status).toBe(422)
    const long = { ...draft, description: 'x'.repeat(141) }
    expect((await failure(wendy.rest.repos.createCommitStatus(long))).status).toBe(422)
    const odd = { ...draft, target_url: 'javascript:alert(1)' }
    expect((await failure(wendy.rest.repos.createCommitStatus(odd))).status).toBe(422)
    const lost = wendy.rest.repos.getCombinedStatusForRef({ ...REPO, ref: 'nowhere' })
    expect((await failure(lost)).status).toBe(404)
  })
})
