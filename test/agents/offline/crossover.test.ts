import { describe, expect, it } from 'vitest'
import { createOfflineAgent } from '../../../src/agents/offline/agent.ts'
import { crossover } from '../../../src/agents/offline/crossover.ts'
import { openDraft } from '../../../src/agents/offline/draft.ts'
import { aCard } from '../../support/builders.ts'
import { aTask, textsIn, withWorkspace } from './workspace.ts'

const PATH = 'src/a.js'
const ROOT = 'one(1)\ntwo(2)\nthree(3)\nfour(4)\nfive(5)\n'
const BRIEF = { operator: 'crossover' as const, inspirations: [aCard(4)] }

async function cross(parent: string, donor: string, seed = 1) {
  const versions = { root: { [PATH]: ROOT }, 4: { [PATH]: donor } }
  return withWorkspace({ [PATH]: parent }, { versions }, async (workspace) => {
    const draft = await openDraft(workspace)
    const deeds = await crossover(draft, aTask(workspace, seed, BRIEF))
    await draft.save()
    const { [PATH]: text } = await textsIn(workspace.folder, [PATH])
    return { deeds, text }
  })
}

describe('crossover', () => {
  it("adds the donor's change to the parent's own", async () => {
    const { deeds, text } = await cross(
      ROOT.replace('one(1)', 'one(10)'),
      ROOT.replace('five(5)', 'five(50)'),
    )
    expect(text).toBe('one(10)\ntwo(2)\nthree(3)\nfour(4)\nfive(50)\n')
    expect(deeds).toEqual([{ verb: 'take', noun: 'change', count: 1, from: 4 }])
  })

  it('takes any non-empty part of several changes', async () => {
    const parent = ROOT.replace('three(3)', 'three(30)')
    const donor = ROOT.replace('one(1)', 'one(10)').replace('five(5)', 'five(50)')
    const seen = new Set<string | undefined>()
    for (let seed = 0; seed < 20; seed++) seen.add((await cross(parent, donor, seed)).text)
    expect(seen).toEqual(
      new Set([
        parent.replace('one(1)', 'one(10)'),
        parent.replace('five(5)', 'five(50)'),
        parent.replace('one(1)', 'one(10)').replace('five(5)', 'five(50)'),
      ]),
    )
  })

  it("keeps the parent's change on the line next to the donor's", async () => {
    const { text } = await cross(ROOT.replace('two(2)', 'two(20)'), ROOT.replace('three(3)', 'three(30)'))
    expect(text).toBe('one(1)\ntwo(20)\nthree(30)\nfour(4)\nfive(5)\n')
  })

  it("takes the donor's version where both changed the same line", async () => {
    const { text } = await cross(ROOT.replace('two(2)', 'two(20)'), ROOT.replace('two(2)', 'two(7)'))
    expect(text).toBe(ROOT.replace('two(2)', 'two(7)'))
  })

  it('takes nothing that would bring in a syntax error', async () => {
    const { deeds, text } = await cross(ROOT, ROOT.replace('two(2)', 'two(2'))
    expect(deeds).toEqual([])
    expect(text).toBe(ROOT)
  })

  it('a crossover adds a mutation when the donor has nothing new', async () => {
    const versions = { root: { [PATH]: ROOT }, 4: { [PATH]: ROOT } }
    const outcome = await withWorkspace({ [PATH]: ROOT }, { versions }, async (workspace) => {
      const task = aTask(workspace, 1, BRIEF)
      return createOfflineAgent().code(task, { text: '' })
    })
    expect(outcome).toMatchObject({ status: 'changed', summary: expect.not.stringContaining('candidate') })
  })
})
