import { describe, expect, it } from 'vitest'
import { answersOn, commitFile, complaintsOf, ledgerOf, stateOf } from '../../e2e/app-scene.ts'
import { REPO } from '../../sandbox/support.ts'
import { label } from '../support.ts'
import { aScenario, ask, CONFIG, MODES, untilPhase } from './scenario.ts'

describe.each(MODES)('%s', (mode) => {
  it('a campaign that is stopped ends with the candidates that run', async () => {
    const scenario = await aScenario(mode)
    const { github, runner, until } = scenario
    runner.holdAfter = 1
    const issue = await label(github.box)
    await until('a candidate waits', async () => runner.waiting > 0)
    expect(await ask(scenario, issue, '/loreley stop')).toMatch(/^✅/)
    runner.release()
    await untilPhase(scenario, 'finished')
    expect(await stateOf(github.box)).toMatchObject({ status: { reason: 'stopped' } })
    expect(await answersOn(github.box, issue)).toHaveLength(1)
  })

  it('closing an issue holds its campaign up, and reopening lets it go on', async () => {
    const scenario = await aScenario(mode, CONFIG)
    const { github, runner, until } = scenario
    runner.held = true
    const issue = await label(github.box)
    const { issues } = github.box.as('wendy').rest
    await until('the root is being measured', async () => runner.waiting > 0)
    await issues.update({ ...REPO, issue_number: issue, state: 'closed' })
    await untilPhase(scenario, 'paused')
    await issues.update({ ...REPO, issue_number: issue, state: 'open' })
    await untilPhase(scenario, 'baseline')
    await issues.removeLabel({ ...REPO, issue_number: issue, name: 'loreley' })
    await untilPhase(scenario, 'paused')
    await issues.addLabels({ ...REPO, issue_number: issue, labels: ['loreley'] })
    await untilPhase(scenario, 'baseline')
    runner.release()
    await untilPhase(scenario, 'finished')
  })

  it('edits of the config apply, and a broken one is told until it is mended', async () => {
    const scenario = await aScenario(mode, CONFIG)
    const { github, runner, until } = scenario
    runner.held = true
    await label(github.box)
    await until('the root is being measured', async () => runner.waiting > 0)
    await commitFile(github.box, '.loreley.yml', 'goal: 7\n')
    await until('the fault is told', async () => (await complaintsOf(github.box)).length === 1)
    await commitFile(github.box, '.loreley.yml', CONFIG.replace('candidates: 3', 'candidates: 2'))
    await until('the issue about it is closed', async () => (await complaintsOf(github.box)).length === 0)
    runner.release()
    await untilPhase(scenario, 'finished')
    const candidates = (await ledgerOf(github.box)).filter(({ kind }) => kind === 'candidate')
    expect(candidates, 'as many as the mended config allows').toHaveLength(2)
  })

  it('a schedule starts a campaign at its time', async () => {
    const scenario = await aScenario(mode, `${CONFIG}schedule: { cron: '0 * * * *' }\n`)
    const { github, until } = scenario
    const campaigns = async () => {
      const { data } = await github.box.as('rita').rest.git.listMatchingRefs({
        ...REPO,
        ref: 'heads/loreley/runner/',
      })
      return data.map(({ ref }) => ref.split('/').at(-1) ?? '')
    }
    await until('two slots have begun campaigns', async () => (await campaigns()).length >= 2)
    const [first = ''] = await campaigns()
    expect(first).toMatch(/^default-\d{10}00$/)
    await untilPhase(scenario, 'finished', first)
  })
})
