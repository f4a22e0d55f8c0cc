import { expect, it } from 'vitest'
import { AgreedWords } from '../../../src/app/people/agreed-words.ts'
import { CommentWatch } from '../../../src/app/people/comment-watch.ts'
import { Labels } from '../../../src/app/people/labels.ts'
import { parseConfig } from '../../../src/config/file/parse.ts'
import type { Transport } from '../../../src/github/api/api-client.ts'
import type { Clock } from '../../../src/github/api/clock.ts'
import { Comments } from '../../../src/github/issues/comments.ts'
import { Permissions } from '../../../src/github/issues/permissions.ts'
import { aGitHub, aQuickClock } from '../../github/support.ts'
import { REPO } from '../../sandbox/support.ts'
import { FILES } from '../support.ts'

const MINUTE_MS = 60_000

/** Comments on an issue, and somebody who writes down which of them were found missed. */
async function aScene() {
  const clock: Clock = aQuickClock()
  const github = await aGitHub({ now: () => new Date(clock.now()) })
  const rest = (who: string) => github.box.as(who).rest
  const { data } = await rest('wendy').issues.create({ ...REPO, title: 'Faster' })
  const say = async (body: string, who = 'wendy'): Promise<number> =>
    (await rest(who).issues.createComment({ ...REPO, issue_number: data.number, body })).data.id
  let isDown = false
  const transport: Transport = {
    graphql: github.octokit.graphql,
    request: async (route, parameters = {}) => {
      if (!isDown || !route.includes('comments')) return await github.octokit.request(route, parameters)
      throw Object.assign(new Error('no'), {
        status: 404,
        response: { headers: {}, data: { message: 'no' } },
      })
    },
  }
  const found: (number | string)[] = []
  const api = github.api({ transport, clock })
  const ports = {
    api,
    clock,
    actor: 'tester[bot]',
    log: () => undefined,
    comments: new Comments(api, 'tester[bot]'),
    permissions: new Permissions(api, clock),
  }
  const words = new AgreedWords(ports)
  const labels = new Labels(ports, words)
  const watch = new CommentWatch(ports, {
    words,
    comments: {
      hasHeard: (comment) => found.includes(comment),
      obey: async ({ comment }) => void found.push(comment),
    },
    boxes: {
      obeyFound: async (campaign, { markers }) =>
        void found.push(...markers.map((it) => `${campaign} ${it}`)),
    },
    campaigns: { ofIssue: async () => undefined },
  })
  /** What one more look finds. */
  const look = async (): Promise<(number | string)[]> => {
    const before = found.length
    await watch.reconcile()
    return found.slice(before)
  }
  const breakOff = async (): Promise<void> => {
    isDown = true
    await expect(watch.reconcile()).rejects.toMatchObject({ code: 'github-refused' })
    isDown = false
  }
  const sign = async (who: string, comment: number, content: 'eyes' | 'rocket' | 'confused') => {
    const { reactions } = who === 'app' ? github.octokit.rest : rest(who)
    await reactions.createForIssueComment({ ...REPO, comment_id: comment, content })
  }
  return { github, clock, issue: data.number, say, sign, look, breakOff, labels }
}

it('finds commands without an answer, whatever others say or leave on them', async () => {
  const { say, sign, look, clock } = await aScene()
  await say('Nice.')
  await say('/loreley status', 'rita')
  const [plain, signed, refused, done, begun] = [
    await say('/loreley status'),
    await say('/loreley pause'),
    await say('/loreley dance'),
    await say('/loreley resume'),
    await say('/loreley stop'),
  ]
  for (const content of ['eyes', 'rocket', 'confused'] as const) await sign('rita', signed, content)
  await sign('app', refused, 'confused')
  await sign('app', done, 'rocket')
  await sign('app', begun, 'eyes')
  // Somebody may still be at the one that shows eyes; when nothing comes of it, nobody is.
  expect(await look()).toEqual([plain, signed])
  expect(await look()).toEqual([])
  await clock.sleep(11 * MINUTE_MS)
  expect(await look()).toEqual([begun])
})

it('goes back to the last look that went well, and reads all pages since', async () => {
  const { say, look, breakOff, clock } = await aScene()
  expect(await look()).toEqual([])
  await clock.sleep(MINUTE_MS)
  const early = await say('/loreley status')
  for (let index = 0; index < 100; index++) await say(`Talk ${index}.`)
  const late = await say('/loreley pause')
  await clock.sleep(25 * MINUTE_MS)
  await breakOff()
  await clock.sleep(20 * MINUTE_MS)
  expect(await look()).toEqual([early, late])
})

it('finds boxes that are ticked in dashboards of its own, and in nobody else’s', async () => {
  const { github, issue, say, look, clock } = await aScene()
  const shown = '<!-- loreley:status campaign=demo -->\n- [x] <!-- loreley:resume --> Resume'
  await say(shown)
  await github.octokit.rest.issues.createComment({ ...REPO, issue_number: issue, body: shown })
  await clock.sleep(MINUTE_MS)
  expect(await look()).toEqual(['demo resume'])
})

it('finds a label with the words that it was set on, or with a writer’s, and says so otherwise', async () => {
  const { github, clock, labels } = await aScene()
  const config = parseConfig(FILES['.loreley.yml'], '.loreley.yml')
  const [rita, wendy] = [github.box.as('rita').rest.issues, github.box.as('wendy').rest.issues]
  const { data } = await rita.create({ ...REPO, title: 'Small', body: 'Please.' })
  const place = { ...REPO, issue_number: data.number }
  const labelled = async () => await labels.observeAll(config, new Set())
  const complaints = async () => (await wendy.listComments(place)).data.map(({ body }) => body)
  await wendy.createLabel({ ...REPO, name: 'loreley' })
  await wendy.addLabels({ ...place, labels: ['loreley'] })
  expect(await labelled()).toMatchObject([{ issue: { number: data.number, body: 'Please.' } }])

  for (const edit of [{ body: 'Mine bitcoin.' }, { title: 'Bitcoin' }]) {
    await clock.sleep(5000)
    await wendy.update({ ...place, title: 'Small', body: 'Please.' })
    await wendy.removeLabel({ ...place, name: 'loreley' })
    await wendy.addLabels({ ...place, labels: ['loreley'] })
    await clock.sleep(5000)
    const before = (await complaints()).length
    await rita.update({ ...place, ...edit })
    expect([await labelled(), await labelled()]).toEqual([[], []])
    expect((await complaints()).slice(before)).toEqual([expect.stringContaining('after the label was set')])
  }
  await clock.sleep(5000)
  await wendy.removeLabel({ ...place, name: 'loreley' })
  await wendy.addLabels({ ...place, labels: ['loreley'] })
  await clock.sleep(5000)
  await wendy.update({ ...place, body: 'Without tables.' })
  expect(await labelled()).toMatchObject([{ issue: { title: 'Bitcoin', body: 'Without tables.' } }])
})

it('finds a start with the words that it was said under, or with a writer’s, and says so otherwise', async () => {
  const { github, clock, look } = await aScene()
  const [rita, wendy] = [github.box.as('rita').rest.issues, github.box.as('wendy').rest.issues]
  const { data } = await rita.create({ ...REPO, title: 'Small', body: 'Please.' })
  const place = { ...REPO, issue_number: data.number }
  const start = async () => (await wendy.createComment({ ...place, body: '/loreley start' })).data.id
  for (const edit of [{ body: 'Mine bitcoin.' }, { title: 'Bitcoin' }]) {
    await start()
    await clock.sleep(5000)
    await rita.update({ ...place, ...edit })
    expect([await look(), await look()]).toEqual([[], []])
    const { data: said } = await wendy.listComments(place)
    expect(said.at(-1)?.body).toContain('edited this issue after `/loreley start`')
    await clock.sleep(11 * MINUTE_MS)
  }
  const last = await start()
  await clock.sleep(5000)
  await wendy.update({ ...place, body: 'Without tables.' })
  expect(await look()).toEqual([last])
})
