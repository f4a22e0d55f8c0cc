import { expect, it } from 'vitest'
import { REPO, type TestBox } from '../../../sandbox/support.ts'
import {
  answersOn,
  aScene,
  awaitPhase,
  commitFile,
  ledgerOf,
  PATIENCE,
  say,
  signsOn,
  stateOf,
} from '../../app-scene.ts'

/** Says a command, and gives its answer and the signs on it. */
async function command(box: TestBox, issue: number, line: string) {
  const before = (await answersOn(box, issue)).length
  const comment = await say(box, 'wendy', issue, `/loreley ${line}`)
  await expect.poll(async () => (await answersOn(box, issue)).length, PATIENCE).toBe(before + 1)
  return { line: (await answersOn(box, issue))[before] ?? '', signs: await signsOn(box, comment) }
}

async function anIssue(box: TestBox): Promise<number> {
  const { data } = await box.as('wendy').rest.issues.create({ ...REPO, title: 'Faster', body: 'Please.' })
  return data.number
}

it('obeys every command, with a sign at once and one line after', async () => {
  const { box, runner } = await aScene({ limits: 'candidates: 3, parallel: 1' })
  const issue = await anIssue(box)
  const done = async (line: string) => {
    const answer = await command(box, issue, line)
    expect(answer).toEqual({ line: expect.stringMatching(/^✅ /), signs: ['eyes', 'rocket'] })
    return answer.line
  }
  const refused = async (line: string) => {
    const answer = await command(box, issue, line)
    expect(answer).toEqual({ line: expect.stringMatching(/^😕 /), signs: ['eyes', 'confused'] })
    return answer.line
  }
  const control = async () => (await stateOf(box))?.control

  expect(await done('help')).toContain('| `explain <id>` |')
  expect(await refused('dance')).toBe('😕 I do not know that command. Try `/loreley help`.')
  for (const line of ['status', 'pause', 'promote 1', 'ci #1', 'budget candidates 3'])
    expect(await refused(line)).toContain('There is no campaign here')

  runner.holdAfter = 1
  expect(await done('start')).toBe('✅ default-1 has started.')
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  expect(await done('status')).toBe('✅ default-1: Warm-up: 0 of 3 candidates.')
  expect(await done('start')).toContain('Warm-up: 0 of 3 candidates')
  expect(await refused('explain 1')).toBe('😕 There is no finished candidate default-1-0001.')

  expect(await done('pause')).toBe('✅ default-1: Paused after 0 of 3 candidates (command): by wendy.')
  runner.release()
  // What ran when it was paused is admitted; nothing else begins.
  await expect.poll(async () => (await stateOf(box))?.finished, PATIENCE).toBe(1)
  expect(await done('status')).toContain('Paused after 1 of 3')
  expect(runner.started).toHaveLength(2)
  await done('resume')
  await awaitPhase(box, 'finished')

  // After the end: what was found is still there to be asked for.
  const pulls = async () => (await box.as('rita').rest.pulls.list(REPO)).data
  await expect.poll(async () => (await pulls()).length, PATIENCE).toBe(1)
  const offered = Number((await pulls())[0]?.head.ref.slice(-4))
  const [second = 0, third = 0] = [1, 2, 3].filter((ordinal) => ordinal !== offered)
  expect(await done(`explain ${offered}`)).toContain(`**default-1-000${offered}**, score `)
  expect(await done(`promote default-1-000${second}`)).toContain('is being confirmed')
  await expect.poll(async () => (await pulls()).length, PATIENCE).toBe(2)
  const again = async () => (await ledgerOf(box)).filter(({ kind }) => kind === 'confirm').length
  const measured = await again()
  expect(await done(`retry ${third}`)).toContain('is measured again')
  await expect.poll(again, PATIENCE).toBe(measured + 1)
  expect(await done(`discard ${third}`)).toContain('is discarded')
  expect((await control())?.declined).toEqual([third])
  await done(`discard ${second}`)
  await expect.poll(async () => (await pulls()).length, PATIENCE).toBe(1)
  expect(await refused(`promote ${offered}`)).toContain(
    `is already pull request #${(await pulls())[0]?.number}`,
  )
  for (const line of ['promote 77', 'discard 0', 'retry 77', 'promote', 'retry x', 'explain'])
    await refused(line)

  const [pull] = await pulls()
  const head = async () =>
    (await box.as('rita').rest.repos.getCommit({ ...REPO, ref: (await pulls())[0]?.head.sha ?? '' })).data
  const held = await head()
  expect(held.commit.message).toContain('[skip ci]')
  expect(await refused('ci #99')).toContain('That is not an open pull request of this campaign')
  expect(await refused('ci nine')).toContain('needs a pull request')
  expect(await done(`ci #${pull?.number}`)).toBe(`✅ CI runs on #${pull?.number} from now on.`)
  const released = await head()
  expect(released.commit.message).not.toContain('[skip ci]')
  expect(released.commit.tree.sha).toBe(held.commit.tree.sha)

  // On a pull request of ours it is about that one; on others there is no campaign.
  const onPull = await command(box, pull?.number ?? 0, 'ci')
  expect(onPull.line).toBe(`✅ CI runs on #${pull?.number} from now on.`)
  expect((await command(box, pull?.number ?? 0, 'status')).line).toContain('Finished after 3 candidates')
  await commitFile(box, 'README.md', '# Mine', 'main')
  const main = await box.as('wendy').rest.git.getRef({ ...REPO, ref: 'heads/main' })
  await box.as('wendy').rest.git.createRef({ ...REPO, ref: 'refs/heads/mine', sha: main.data.object.sha })
  await commitFile(box, 'README.md', '# Yours', 'mine')
  const { data: foreign } = await box
    .as('wendy')
    .rest.pulls.create({ ...REPO, title: 'Mine', head: 'mine', base: 'main' })
  for (const line of ['start', 'status', 'ci'])
    expect((await command(box, foreign.number, line)).line).toContain('There is no campaign here')

  // More budget brings it back to life; a stop ends it for good.
  for (const line of ['budget', 'budget cats 3', 'budget candidates -1', 'budget candidates 1.5'])
    expect(await refused(line)).toContain('`budget` needs one of')
  runner.holdAfter = runner.started.length
  expect(await done('budget candidates 5')).toContain('3 of 5 candidates')
  await expect.poll(() => runner.heldRuns.length, PATIENCE).toBe(1)
  await done('stop')
  runner.release()
  await awaitPhase(box, 'finished')
  expect((await stateOf(box))?.status).toEqual({ phase: 'finished', reason: 'stopped' })
  expect(await refused('resume')).toContain('was stopped')
  expect(await refused('pause')).toContain('Finished')
  expect(await refused('stop')).toContain('Finished')
}, 240_000)
