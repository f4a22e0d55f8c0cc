import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Transport } from '../../src/github/api/api-client.ts'
import { GITHUB_PACE, NO_PACE } from '../../src/github/api/pace-settings.ts'
import type { RepositoryApi } from '../../src/github/api/repository-api.ts'
import { DOCUMENTED_SECONDARY_LIMITS, NO_FAULTS } from '../../src/sandbox/settings.ts'
import { REPO } from '../sandbox/support.ts'
import { aGitHub, aQuickClock } from './support.ts'

const GET_REPO = {
  route: 'GET /repos/{owner}/{repo}',
  parameters: {},
  answer: z.object({ full_name: z.string() }),
  priority: 'state',
} as const

const anIssue = (title: string) => ({
  route: 'POST /repos/{owner}/{repo}/issues',
  parameters: { title },
  answer: z.object({ number: z.number() }),
  priority: 'report' as const,
})

/** A box whose time is the client's: to sleep moves both on. */
async function aGitHubOnOurClock() {
  const clock = aQuickClock()
  return { clock, github: await aGitHub({ now: () => new Date(clock.now()) }) }
}

async function fault(api: RepositoryApi) {
  return await api.get(GET_REPO).catch((error: unknown) => error)
}

describe('the client', () => {
  it('gives what was asked for and counts every request by kind', async () => {
    const github = await aGitHub()
    const api = github.api()
    expect(await api.get(GET_REPO)).toEqual({ full_name: 'acme/demo' })
    expect(await api.ask(anIssue('one'))).toMatchObject({ status: 'done' })
    expect(github.sent).toEqual([
      { kind: 'GET /repos/{owner}/{repo}', writes: false, answered: true },
      { kind: 'POST /repos/{owner}/{repo}/issues', writes: true, answered: true },
    ])
  })

  it('gives a refusal as a value, and throws github-refused where none is expected', async () => {
    const github = await aGitHub()
    const call = { ...GET_REPO, parameters: { repo: 'nowhere' } }
    expect(await github.api().ask(call)).toEqual({ status: 'refused', http: 404, message: 'Not Found' })
    await expect(github.api().get(call)).rejects.toMatchObject({ code: 'github-refused' })
  })

  it('asks GitHub only whether a polled list changed', async () => {
    const github = await aGitHub()
    const api = github.api()
    const list = {
      route: 'GET /repos/{owner}/{repo}/issues',
      parameters: { per_page: 100 },
      answer: z.array(z.object({ title: z.string() })),
      priority: 'state',
      polled: true,
    } as const
    const left = async () => {
      const { data } = await github.octokit.rest.rateLimit.get()
      return data.resources.core.remaining
    }
    expect(await api.get(list)).toEqual([])
    const before = await left()
    expect(await api.get(list)).toEqual([])
    expect(await left()).toBe(before)
    await api.get(anIssue('new'))
    expect(await api.get(list)).toEqual([{ title: 'new' }])
  })
})

describe('a limit', () => {
  it('waits for a limit, even with writes that must not happen twice', async () => {
    const github = await aGitHub()
    github.box.settings.faults = { ...NO_FAULTS, squeeze: 0.5 }
    const api = github.api({ clock: aQuickClock() })
    for (const title of ['a', 'b', 'c', 'd', 'e', 'f'])
      expect((await api.ask(anIssue(title))).status).toBe('done')
    github.box.settings.faults = NO_FAULTS
    expect(github.sent.length).toBeGreaterThan(6)
    const { data } = await github.octokit.rest.issues.listForRepo(REPO)
    expect(data.map(({ title }) => title).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  })

  it('a limit without a duration is waited for, not treated as a refusal', async () => {
    const clock = aQuickClock()
    const start = clock.now()
    const github = await aGitHub()
    github.box.settings.faults = { ...NO_FAULTS, squeezeVaguely: 0.5 }
    const api = github.api({ clock })
    for (const title of ['a', 'b', 'c', 'd', 'e', 'f'])
      expect((await api.ask(anIssue(title))).status).toBe('done')
    expect(github.sent.length).toBeGreaterThan(6)
    expect(clock.now() - start).toBeGreaterThanOrEqual(60_000)
  })

  it('waits for a limit that GraphQL reports with status 200', async () => {
    const github = await aGitHub()
    const errors = [{ message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' }]
    const answers = [{ errors }, { errors: [{ type: 'RATE_LIMITED', message: 'over' }] }]
    const transport: Transport = {
      request: github.octokit.request,
      graphql: async () => {
        const failure = answers.shift()
        if (failure !== undefined) throw Object.assign(new Error('limited'), failure)
        return 'done'
      },
    }
    const query = { name: 'x', query: '{ x }', variables: {}, writes: true, priority: 'state' } as const
    const api = github.api({ transport, clock: aQuickClock() })
    expect(await api.query({ ...query, answer: z.string() })).toEqual({ status: 'done', value: 'done' })
    expect(github.sent).toHaveLength(3)
  })

  it('a limit with too long a wait ends in github-unavailable', async () => {
    const github = await aGitHub()
    const api = github.api({ pace: { ...NO_PACE, maxWaitMs: 500 }, clock: aQuickClock() })
    github.box.settings.faults = { ...NO_FAULTS, squeeze: 1 }
    expect(await fault(api)).toMatchObject({ code: 'github-unavailable' })
  })

  it('later requests wait for a limit that one request gave up on', async () => {
    const { github, clock } = await aGitHubOnOurClock()
    github.box.settings.primaryPerHour = 3
    // A person's token: the App's would be over by then.
    const api = github.api({ clock, transport: github.box.as('wendy') })
    for (let asked = 0; asked < 3; asked++) await api.get(GET_REPO)
    expect(await fault(api)).toMatchObject({ code: 'github-unavailable' })
    await Promise.all([api.get(GET_REPO), api.get(GET_REPO)])
    expect(github.sent.filter(({ answered }) => !answered)).toHaveLength(1)
  })

  it('waits for the hourly limit until it resets', async () => {
    const { github, clock } = await aGitHubOnOurClock()
    const start = clock.now()
    github.box.settings.primaryPerHour = 5
    // A person's token: the App's would be over by then.
    const transport = github.box.as('wendy')
    const api = github.api({ pace: { ...NO_PACE, maxWaitMs: 3_700_000 }, clock, transport })
    for (let asked = 0; asked < 8; asked++) await api.get(GET_REPO)
    expect(clock.now() - start).toBeGreaterThanOrEqual(3_000_000)
    expect(github.sent.filter(({ answered }) => !answered)).toHaveLength(1)
  })

  it('our pace never reaches the documented limits of GitHub', async () => {
    const { github, clock } = await aGitHubOnOurClock()
    github.box.settings.secondary = DOCUMENTED_SECONDARY_LIMITS
    const api = github.api({ pace: GITHUB_PACE, clock })
    await Promise.all(Array.from({ length: 100 }, (_, index) => api.get(anIssue(`issue ${index}`))))
    expect(github.sent).toHaveLength(100)
  })
})

describe('a failure of GitHub', () => {
  it('retries reads when GitHub fails, then ends in github-unavailable', async () => {
    const github = await aGitHub({ lenient: true })
    const api = github.api({ clock: aQuickClock() })
    github.box.settings.faults = { ...NO_FAULTS, failBefore: 1 }
    expect(await fault(api)).toMatchObject({ code: 'github-unavailable' })
    expect(github.sent).toHaveLength(5)
    github.box.settings.faults = { ...NO_FAULTS, failBefore: 0.5 }
    expect(await api.get(GET_REPO)).toEqual({ full_name: 'acme/demo' })
  })

  it('leaves a write that must not happen twice unsure', async () => {
    const github = await aGitHub({ lenient: true })
    const api = github.api({ clock: aQuickClock() })
    github.box.settings.faults = { ...NO_FAULTS, failAfter: 1 }
    expect(await api.ask(anIssue('once'))).toMatchObject({ status: 'unsure' })
    github.box.settings.faults = NO_FAULTS
    const { data } = await github.octokit.rest.issues.listForRepo(REPO)
    expect(data.map(({ title }) => title)).toEqual(['once'])
  })
})
