import { describe, expect, it } from 'vitest'
import { createOfflineAgent } from '../../../src/agents/offline/agent.ts'
import { aTask, textsIn, withWorkplace } from './workplace.ts'

const PATH = 'src/a.js'
const ROOT = 'one(1)\ntwo(2)\nthree(3)\nfour(4)\nfive(5)\n'
const PLAN = { text: '', usage: { tokens: 0, dollars: 0 } }

async function cross(parent: string, donor: string, seed: number) {
  const versions = { root: { [PATH]: ROOT }, 4: { [PATH]: donor } }
  return withWorkplace({ [PATH]: parent }, { versions }, async (workplace) => {
    const task = aTask(workplace, seed, { operator: 'crossover', inspirations: [4] })
    const outcome = await createOfflineAgent().code(task, PLAN)
    const { [PATH]: text } = await textsIn(workplace.folder, [PATH])
    // Some children get a mutation on top.
    const isPure = outcome.status === 'changed' && !outcome.summary.includes(' and ')
    return { outcome, text, isPure }
  })
}

describe('crossover', () => {
  it("adds the donor's change to the parent's own", async () => {
    const { outcome, text } = await cross(
      ROOT.replace('one(1)', 'one(10)'),
      ROOT.replace('five(5)', 'five(50)'),
      1,
    )
    expect(text).toBe('one(10)\ntwo(2)\nthree(3)\nfour(4)\nfive(50)\n')
    expect(outcome).toMatchObject({ summary: 'take a change from candidate 4 in src/a.js' })
  })

  it('takes any non-empty part of several changes', async () => {
    const donor = ROOT.replace('one(1)', 'one(10)').replace('five(5)', 'five(50)')
    const seen = new Set<string | undefined>()
    for (let seed = 0; seed < 30; seed++) {
      const { text, isPure } = await cross(ROOT.replace('three(3)', 'three(30)'), donor, seed)
      if (isPure) seen.add(text)
    }
    const mixed = ROOT.replace('three(3)', 'three(30)')
    expect(seen).toEqual(
      new Set([
        mixed.replace('one(1)', 'one(10)'),
        mixed.replace('five(5)', 'five(50)'),
        mixed.replace('one(1)', 'one(10)').replace('five(5)', 'five(50)'),
      ]),
    )
  })

  it("keeps the parent's change on the line next to the donor's", async () => {
    const { text } = await cross(ROOT.replace('two(2)', 'two(20)'), ROOT.replace('three(3)', 'three(30)'), 1)
    expect(text).toBe('one(1)\ntwo(20)\nthree(30)\nfour(4)\nfive(5)\n')
  })

  it("takes the donor's version where both changed the same line", async () => {
    const { text } = await cross(ROOT.replace('two(2)', 'two(20)'), ROOT.replace('two(2)', 'two(7)'), 1)
    expect(text).toBe(ROOT.replace('two(2)', 'two(7)'))
  })

  it('falls back to a mutation when the donor has nothing new', async () => {
    const { outcome, text } = await cross(ROOT, ROOT, 1)
    expect(outcome).toMatchObject({ status: 'changed', summary: expect.not.stringContaining('candidate') })
    expect(text).not.toBe(ROOT)
  })
})
