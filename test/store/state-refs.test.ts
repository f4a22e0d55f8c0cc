import { expect, it } from 'vitest'
import { createArchive } from '../../src/core/archive/cell-archive.ts'
import { islandNames } from '../../src/core/archive/islands.ts'
import { findEliteChanges } from '../../src/store/state-refs.ts'
import { aCampaign, anElite, LESS_TIME, MORE_SCORE } from '../support/builders.ts'

it('names elites by island and cell, further ones of a cell by their rank, and takes away what left', () => {
  const rules = { objectives: [MORE_SCORE, LESS_TIME], front: 4, islands: islandNames(2) }
  const archive = createArchive({ kind: 'grid', sizes: [4, 4] }, rules)
  const elites = [
    anElite({ ordinal: 1, value: [1, 1] }),
    anElite({ ordinal: 2, value: [2, 2] }),
    anElite({ ordinal: 3, value: [1, 1] }),
  ]
  for (const [index, elite] of elites.entries()) archive.add(elite, index < 2 ? 'island-1' : 'island-2')
  const gone = 'refs/heads/loreley/elite/demo/island-1/2-2.3'
  const changes = findEliteChanges({ ...aCampaign(), archive }, 'branches', new Map([[gone, 'old']]))
  const commits = elites.map(({ commit }) => commit)
  expect(changes).toEqual([
    { ref: 'refs/heads/loreley/elite/demo/island-1/2-2', to: commits[1], from: 'absent' },
    { ref: 'refs/heads/loreley/elite/demo/island-1/2-2.2', to: commits[0], from: 'absent' },
    { ref: 'refs/heads/loreley/elite/demo/island-2/2-2', to: commits[2], from: 'absent' },
    { ref: gone, to: undefined, from: 'old' },
  ])
})
