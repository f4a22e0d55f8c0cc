import { expect, it } from 'vitest'
import { aCli, parseLines } from '../support/cli.ts'
import { aFolder, aRepository, git, writeFiles } from '../support/repository.ts'
import { ATTACKS } from './candidates/attacks.ts'
import { aSolver, victimFiles, victimSettings } from './candidates/victim.ts'

const [byHeart, crashing] = ATTACKS.filter(({ end }) => end === 'fitted')

/** A campaign of one candidate, which does the attack's work. */
async function runWith(
  attack: Pick<(typeof ATTACKS)[number], 'work'> | undefined,
  held?: 'nothing held out',
) {
  const works = aFolder('loreley-fitted-')
  writeFiles(works, victimFiles())
  attack?.work(works)
  const agent = { use: 'command', command: { code: `cp ${works}/src/solve.mjs src/solve.mjs` } }
  const { evaluation, ...settings } = victimSettings({ candidates: 1, agent })
  const { held_out, ...shown } = evaluation
  const used = held === undefined ? { ...shown, held_out } : shown
  const folder = aRepository(victimFiles({ ...settings, evaluation: used }))
  const machine = aCli()
  const ran = await machine.run(folder, 'run', '--json')
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' })
  const lines = parseLines(ran.stdout).filter(({ type }) => type === 'candidate')
  const status = JSON.parse((await machine.run(folder, 'status', '--json')).stdout)
  const told = await machine.run(folder, 'show', '1')
  return { folder, lines, best: status.bestCandidate, shown: told.stdout }
}

it('a candidate that memorises the known inputs is called overfitted before it can win', async () => {
  const { lines, best, shown } = await runWith(byHeart)
  expect(lines.map(({ verdict }) => verdict)).toMatchObject([
    { status: 'admitted' },
    { status: 'admitted', as: 'new-cell' },
    { status: 'overfitted', of: 1 },
  ])
  expect(lines.at(-1)).toMatchObject({ heldOut: { gain: 0, shown: 1 } })
  // What it seemed to be worth is gone from the archive, and said to whoever asks.
  expect(best).not.toContain('0001')
  expect(shown).toContain('Gain on held-out inputs: +0.00 %, on the known inputs: +100.0 % (overfitted)')
}, 120_000)

it('a candidate that crashes on held-out inputs loses its niche and reveals nothing about them', async () => {
  const { folder, lines, best } = await runWith(crashing)
  expect(lines.map(({ verdict }) => verdict)).toMatchObject([
    { status: 'admitted' },
    { status: 'admitted', as: 'new-cell' },
    { status: 'refused', reason: 'evaluation-failed' },
  ])
  expect(best).not.toContain('0001')
  const state = git(folder, 'grep', '-h', '-e', '', 'loreley/state')
  expect(state).toContain('failed on the held-out inputs')
  expect(state).not.toContain('unknown input')
  expect(state).not.toMatch(/8,\s*6,\s*0,\s*4/)
}, 120_000)

it('a candidate with random results is detected although the root never varies', async () => {
  const lots = 'console.log(JSON.stringify({ answer: numbers, bonus: 0.4 * Math.random() }))'
  const work = (folder: string): void => writeFiles(folder, { 'src/solve.mjs': aSolver(lots) })
  const { lines, best, shown } = await runWith({ work }, 'nothing held out')
  expect(lines.map(({ kind, epoch = 1 }) => [kind, epoch])).toEqual([
    ['baseline', 1],
    ['candidate', 1],
    ['confirm', 1],
    ['baseline', 2],
    ['confirm', 2],
    ['confirm', 2],
  ])
  // Its lucky number counts no more: what is reported is what twenty pairs show, with their interval.
  expect(best).toBe('default-0001')
  expect(lines.at(-1)?.interval).toBeDefined()
  expect(shown).toContain('20 pairs, interleaved with the root on one machine')
}, 120_000)
