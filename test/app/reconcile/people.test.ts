import { describe, expect, it } from 'vitest'
import { answersOn, dashboardOn, ledgerOf, press, stateOf, tickBox } from '../../e2e/app-scene.ts'
import { REPO } from '../../sandbox/support.ts'
import { label } from '../support.ts'
import { aScenario, ask, CHAIN_WITH_WEBHOOKS, CONFIG, MODES, untilPhase } from './scenario.ts'

describe.each([...MODES, CHAIN_WITH_WEBHOOKS] as const)('%s', (mode) => {
  it('a label leads to a draft pull request, and people merge one and close another', async () => {
    const scenario = await aScenario(mode, CONFIG)
    const { github, until } = scenario
    const { pulls } = github.box.as('wendy').rest
    const issue = await label(github.box)
    const open = async () => (await pulls.list(REPO)).data
    await until('a draft is open', async () => (await open()).length === 1)
    const [first] = await open()
    expect(first).toMatchObject({ draft: true, base: { ref: 'main' } })
    const ready =
      'mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId } }'
    expect(await ask(scenario, issue, '/loreley ci')).toBe(`✅ CI runs on #${first?.number} from now on.`)
    await github.box.as('wendy').graphql(ready, { id: first?.node_id })
    await pulls.merge({ ...REPO, pull_number: first?.number ?? 0 })
    const statuses = async () => (await stateOf(github.box))?.control.pulls.map(({ status }) => status)
    await until('the merge is known', async () => (await statuses())?.includes('merged') === true)

    const merged = Number(first?.head.ref.slice(-4))
    const other = [1, 2, 3].find((ordinal) => ordinal !== merged) ?? 0
    expect(await ask(scenario, issue, `/loreley promote ${other}`)).toContain('is being confirmed')
    await until('another draft is open', async () => (await open()).length === 1)
    const [second] = await open()
    await pulls.update({ ...REPO, pull_number: second?.number ?? 0, state: 'closed' })
    await until('it is declined', async () => {
      return (await stateOf(github.box))?.control.declined.includes(other) === true
    })
    expect(await stateOf(github.box)).toMatchObject({ status: { reason: 'budget-candidates' } })
  })

  it('every command and every box of a dashboard is obeyed once', async () => {
    const scenario = await aScenario(mode)
    const { github, until, runner } = scenario
    const issue = await label(github.box)
    runner.holdAfter = 2
    await until('a candidate waits', async () => runner.waiting > 0)
    expect(await ask(scenario, issue, '/loreley help')).toContain('/loreley')
    expect(await ask(scenario, issue, '/loreley pause')).toMatch(/^✅/)
    await untilPhase(scenario, 'paused')
    expect(await ask(scenario, issue, '/loreley budget candidates 7')).toMatch(/^✅/)
    expect(await ask(scenario, issue, '/loreley resume')).toMatch(/^✅/)
    await until('a box is offered', async () => {
      return (await dashboardOn(github.box, issue)).body.includes('- [ ] <!-- loreley:pause')
    })
    await tickBox(github.box, 'wendy', issue, 'pause')
    await untilPhase(scenario, 'paused')
    await until('a box is offered', async () => {
      return (await dashboardOn(github.box, issue)).body.includes('- [ ] <!-- loreley:resume')
    })
    await tickBox(github.box, 'wendy', issue, 'resume')
    runner.release()
    await untilPhase(scenario, 'finished')
    for (const command of ['status', 'explain 1', 'retry 1', 'discard 2'])
      expect(await ask(scenario, issue, `/loreley ${command}`)).toMatch(/^✅/)
    expect(await ask(scenario, issue, '/loreley stop')).toMatch(/^😕/)
    const { finished = 0, control } = (await stateOf(github.box)) ?? {}
    expect(finished).toBeGreaterThanOrEqual(5)
    expect(control?.declined).toEqual([2])
    expect(await answersOn(github.box, issue), 'each command has one answer').toHaveLength(9)
  })

  it('every button is obeyed once, and its answer names who pressed it', async () => {
    const config = CONFIG.replace('candidates: 3', 'candidates: 3, open_prs: 0')
    const scenario = await aScenario(mode, config)
    const { github, until } = scenario
    const issue = await label(github.box)
    await untilPhase(scenario, 'finished')
    await scenario.settle()
    const answers = async () => await answersOn(github.box, issue)
    const confirmations = async () =>
      (await ledgerOf(github.box)).filter(({ kind }) => kind === 'confirm').length
    const before = await confirmations()
    await press(github.box, 'rita', 'default-1-0001', 'discard')
    for (const [count, [button, candidate]] of [
      ['retry', 'default-1-0001'],
      ['discard', 'default-1-0002'],
      ['promote', 'default-1-0003'],
    ].entries()) {
      await press(github.box, 'wendy', candidate ?? '', button ?? '')
      await until('the press is answered', async () => (await answers()).length > count)
    }
    await scenario.settle()
    expect((await answers()).map((body) => body.split('\n')[0])).toEqual([
      '✅ wendy pressed **Re-evaluate**: default-1-0001 is measured again.',
      '✅ wendy pressed **Discard**: default-1-0002 is discarded: it will not be offered or built on again.',
      '✅ wendy pressed **Promote**: default-1-0003 is being confirmed; a draft pull request follows if it holds up.',
    ])
    expect((await stateOf(github.box))?.control.declined).toEqual([2])
    expect(await confirmations(), 'one measurement for each of two presses').toBe(before + 2)
  })
})
