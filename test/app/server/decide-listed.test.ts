import { expect, it } from 'vitest'
import { decideListed } from '../../../src/app/server/repositories.ts'
import type { InstalledRepository } from '../../../src/github/installation/installed-repository.ts'

const one: InstalledRepository = {
  id: 1,
  nodeId: 'R_1',
  installation: 5,
  owner: 'acme',
  name: 'one',
  defaultBranch: 'main',
  archived: false,
}
const two = { ...one, id: 2, name: 'two' }
const elsewhere = { ...one, id: 3, installation: 6 }

it.each<[string, Partial<InstalledRepository>]>([
  ['a new name', { name: 'renamed' }],
  ['a new owner', { owner: 'other' }],
  ['another default branch', { defaultBranch: 'trunk' }],
  ['an archived repository', { archived: true }],
  ['another installation', { installation: 7 }],
])('%s is a change', (_what, change) => {
  const names = { ...one, ...change }
  expect(decideListed([one], names.installation, [names])).toEqual([{ type: 'note', names, isChanged: true }])
})

it('a repository that is new or as before is no change', () => {
  expect(decideListed([one], 5, [one, two])).toEqual([
    { type: 'note', names: one, isChanged: false },
    { type: 'note', names: two, isChanged: false },
  ])
})

it('only repositories of the listed installation are forgotten', () => {
  expect(decideListed([one, two, elsewhere], 5, [one])).toEqual([
    { type: 'forget', id: 2 },
    { type: 'note', names: one, isChanged: false },
  ])
})
