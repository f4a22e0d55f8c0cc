import { expect, it } from 'vitest'
import { PullRequests } from '../../../src/app/pulls/pull-requests.ts'
import type { EventOf } from '../../../src/app/reconcile/evidence.ts'
import type { Pull } from '../../../src/core/campaign/control.ts'
import { withPull } from '../../../src/core/campaign/pulls.ts'
import type { Snapshot } from '../../../src/store/state-store.ts'
import { REPO } from '../../sandbox/support.ts'
import { aCampaign, aConfig, aResult, ROOT } from '../../support/builders.ts'
import { BASELINE, finished, step } from '../../support/campaign-steps.ts'
import { commit, load } from '../../support/store.ts'
import { aRepository, type TestRepository } from '../a-repository.ts'

const BRANCH = 'loreley/pr/demo/0001'
const SOMEBODY = { login: 'wendy', isBot: false }
const config = aConfig({ search: { window: 4, cells: 16 } })

interface Scene extends TestRepository {
  readonly pulls: PullRequests
  readonly snapshot: Snapshot
  readonly pull: Pull & { readonly number: number }
  /** The branches of pull requests, with their files. */
  branches(): string[]
}

/** A campaign whose first candidate is open as a pull request. */
async function aScene(): Promise<Scene> {
  const repository = await aRepository()
  const { github, tools } = repository
  const root = { commit: github.git('rev-parse', 'main'), tree: github.git('rev-parse', 'main^{tree}') }
  const made = aResult(1, root)
  const fresh = aCampaign({ config, root: { ...ROOT, ...root } })
  const { state } = step(step(fresh, finished(0, { ...BASELINE, ...root })).state, finished(1, made))
  const pulls = new PullRequests(tools)
  const wanted = { candidate: { ordinal: 1, ...root }, status: 'confirmed' } as const
  const before = await commit(tools.store, undefined, withPull(state, wanted), config)
  const opened = await pulls.open(before, wanted)
  const number = opened.type === 'pull' ? (opened.number ?? 0) : 0
  const pull = { ...wanted, status: 'open', number } as const
  const snapshot = await commit(tools.store, before.revision, withPull(state, pull), config)
  const branches = (): string[] =>
    github.git('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/loreley/pr').split('\n')
  return { ...repository, pulls, snapshot, pull, branches }
}

async function pushTo({ github }: Scene, path: string): Promise<void> {
  await github.box.as('wendy').rest.repos.createOrUpdateFileContents({
    ...REPO,
    branch: BRANCH,
    path,
    message: 'hours of work',
    content: Buffer.from('mine\n').toString('base64'),
  })
}

function closedEvent(number: number): EventOf<'pull-closed'> {
  const pull = { number, headRef: BRANCH, headSha: '', isOwn: true }
  return { type: 'pull-closed', pull, merged: false }
}

it('takes the branch of a closed pull request away', async () => {
  const scene = await aScene()
  expect(scene.branches()).toEqual([BRANCH])
  await scene.pulls.close(scene.snapshot, scene.pull)
  expect(scene.branches()).toEqual([''])
})

it.each(['the campaign', 'a person'])(
  'keeps what people pushed when %s closes the pull request',
  async (who) => {
    const scene = await aScene()
    await pushTo(scene, 'wendys-work.txt')
    if (who === 'a person') await scene.tell(closedEvent(scene.pull.number), SOMEBODY)
    else await scene.pulls.close(scene.snapshot, scene.pull)
    expect(scene.branches()).toEqual([BRANCH])
    expect(scene.github.git('log', '-1', '--format=%s', BRANCH)).toBe('hours of work')
  },
)

it('does not put a candidate in the place of what people pushed', async () => {
  const scene = await aScene()
  await pushTo(scene, 'wendys-work.txt')
  await scene.pulls.close(scene.snapshot, scene.pull)
  expect(await scene.pulls.open(scene.snapshot, scene.pull)).toMatchObject({
    status: 'refused',
    detail: expect.stringContaining('somebody has pushed to it'),
  })
  expect(scene.github.git('log', '-1', '--format=%s', BRANCH)).toBe('hours of work')
})

it('releases CI from the head that it has looked at, and from no other', async () => {
  const scene = await aScene()
  const { tools, github, pulls, snapshot, pull } = scene
  const { candidates } = tools
  const ours = github.git('rev-parse', BRANCH)
  const slow = new PullRequests({
    ...tools,
    // Somebody pushes between the look and the move.
    candidates: Object.assign(Object.create(candidates), {
      commit: async (draft: Parameters<typeof candidates.commit>[0]) => {
        await pushTo(scene, 'wendys-work.txt')
        return await candidates.commit(draft)
      },
    }),
  })
  expect(await slow.releaseCi(snapshot, pull)).toBeDefined()
  expect(github.git('log', '-1', '--format=%s', BRANCH)).toBe('hours of work')

  github.git('update-ref', `refs/heads/${BRANCH}`, ours)
  expect(await pulls.releaseCi(snapshot, pull)).toBeUndefined()
  expect(github.git('log', '-1', '--format=%s', BRANCH)).toBe('Loreley demo-0001')
})

it('leaves the present pull request alone when an earlier one is said to be closed', async () => {
  const scene = await aScene()
  await scene.tell(closedEvent(scene.pull.number - 1), SOMEBODY)
  expect(scene.branches()).toEqual([BRANCH])
  const { state } = await load(scene.github.store())
  expect(state.campaign.control).toMatchObject({ declined: [], pulls: [{ status: 'open' }] })

  await scene.tell(closedEvent(scene.pull.number), SOMEBODY)
  expect(scene.branches()).toEqual([''])
})
