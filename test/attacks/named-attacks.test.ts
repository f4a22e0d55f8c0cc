import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ATTACKS } from './candidates/attacks.ts'
import { BESIDE_THE_JUDGE } from './candidates/beside-the-judge.ts'
import { boundaryAttacks } from './candidates/boundary.ts'
import { aBurner } from './candidates/daemon.ts'
import { attacksOn } from './candidates/on-the-machine.ts'
import { OPEN_VICTIMS } from './candidates/open-victims.ts'
import { WATCHERS } from './candidates/watchers.ts'

const GROUPS = {
  'on the diff and when it runs': ATTACKS,
  'on an evaluator with an opening': OPEN_VICTIMS.flatMap(({ attacks }) => attacks),
  'beside the judge': BESIDE_THE_JUDGE,
  'on the turns of others': [aBurner('plain'), ...WATCHERS],
  'on the machine around a local campaign': attacksOn({ home: '', port: 0, other: { pid: 0 }, tool: '' }, ''),
  'on the runner around a job': boundaryAttacks(0),
}

it('docs/explanation/attacks.md counts the named attacks, and their names differ', () => {
  const told = readFileSync(join(import.meta.dirname, '../../docs/explanation/attacks.md'), 'utf8')
  const names = Object.values(GROUPS).flatMap((group) => group.map(({ name }) => name))
  expect(names).toEqual([...new Set(names)])
  expect(names.length).toBeGreaterThanOrEqual(90)
  expect(told).toContain(`\`test/attacks\` holds ${names.length} named attacks`)
  for (const [group, { length }] of Object.entries(GROUPS)) expect(told).toContain(`| ${group} | ${length} |`)
})
